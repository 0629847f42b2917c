/* Races: two threads access a byte, at least one of them stores, and nothing orders the two accesses.
 *
 * In shared memory, two volatile or atomic accesses do not race.  In global memory one such access is enough:
 * blocks communicate through such addresses, and code that first writes a word plainly and then counts it up
 * atomically is rarely wrong.  Two stores of the same value do not race: `found = true` by many threads is
 * common and harmless.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"
#include "sim/exec/memory/access.h"

/* One access, as the functions below need it. */
struct race {
    struct sim_warp *w;
    const struct sim_insn *in;
    const struct sim_memop *op;
    const struct sim_lanes *lanes;
    unsigned bytes;
    enum sim_space space;
    struct check_block *b;         /* the accessing block's */
    const struct sim_block *owner; /* shared memory: the block that owns it */
    const struct check_events *events;
    uint32_t event; /* << 8 */
    uint32_t live;  /* lower entries are outdated */
    bool strong;
};

/* Outdates every entry when numbers have run out.  Races across this point are missed. */
static void restart(struct check_block *b, struct check_events *events, enum sim_space space) {
    check_changed(b);
    if (space == SIM_SPACE_SHARED)
        memset(b->cells, 0, b->words * sizeof *b->cells);
    else
        check_cells_clear(b->launch->check);
    events->first = events->next = 1;
    for (uint32_t i = 0; i < b->launch->site_count; i++)
        b->launch->sites[i].event = 0;
}

/* The event number of this instruction, run by this warp at its current stamp, among the owner's events or
 * those of global memory; 0 on out-of-memory. */
static uint32_t number(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                       struct check_block *owner, struct check_events *events, struct check_site *site) {
    uint32_t stamp = check_stamp(w->check, w->index);
    if (site->event >= events->first && site->stamp == stamp && site->warp == w->index &&
        site->space == space)
        return site->event;
    /* In a cluster only its own barriers reclaim numbers, and many blocks are active: each gets a share. */
    if (events->next - events->first >= CHECK_MAX_EVENTS / w->worker->cluster_size ||
        events->next >> CHECK_EVENT_BITS)
        restart(owner, events, space);
    size_t at = events->next - events->first;
    if (at >= events->capacity) {
        size_t capacity = events->capacity ? 2 * events->capacity : 1024;
        struct check_event *grown = realloc(events->list, capacity * sizeof *grown);
        if (!grown)
            return 0;
        events->list = grown;
        events->capacity = capacity;
    }
    events->list[at] = (struct check_event){.stamp = stamp,
                                            .block = w->check->linear,
                                            .site = op->site,
                                            .warp = (uint8_t)w->index,
                                            .strong = check_is_strong(op)};
    site->stamp = stamp;
    site->warp = (uint8_t)w->index;
    site->space = (uint8_t)space;
    return site->event = events->next++;
}

static const struct check_event *event_of(const struct race *r, uint32_t entry) {
    return &r->events->list[(entry >> 8) - r->events->first];
}

static bool ordered(const struct race *r, uint32_t entry, unsigned lane) {
    return check_ordered(r->b, event_of(r, entry), entry >> 3 & 31, r->w->index, lane);
}

/* Whether the access conflicts with an entry that is not outdated. */
static bool conflicts(const struct race *r, uint32_t entry, unsigned lane, unsigned code) {
    if (!(check_bytes_mask(entry & 7) & check_bytes_mask(code)))
        return false;
    bool strong = event_of(r, entry)->strong;
    if (r->space == SIM_SPACE_SHARED ? strong && r->strong : strong || r->strong)
        return false;
    return !ordered(r, entry, lane);
}

static const struct sim_code *code_of_site(const struct sim_module *m, uint32_t site) {
    for (size_t f = 0; f < m->ptx->function_count; f++) {
        const struct sim_code *code = &m->codes[f];
        if (code->insns && site - code->site_base < code->site_count)
            return code;
    }
    return NULL;
}

static void report(const struct race *r, enum sim_finding_kind kind, unsigned lane, uint64_t address,
                   uint32_t entry) {
    const struct check_event *event = event_of(r, entry);
    const struct sim_code *other = code_of_site(r->w->worker->code->module, event->site);
    if (!other)
        return;
    const struct sim_site *site = &other->sites[event->site - other->site_base];
    uint32_t thread = SIM_LANES * event->warp + (entry >> 3 & 31);
    struct sim_finding *f = check_report_pair(r->w, check_code(r->w), r->in->index, lane, kind, address,
                                              other, site->insn, event->block, thread);
    if (!f)
        return;
    bool shared = r->space == SIM_SPACE_SHARED, same_warp = event->warp == r->w->index;
    const char *missing = event->block != r->b->linear && shared
                              ? "nothing orders the two blocks of the cluster"
                          : event->block != r->b->linear ? "blocks of one launch have no order"
                          : same_warp                    ? "no __syncwarp() orders the two lanes"
                                                         : "no barrier orders the two threads";
    char whose[40] = "";
    if (shared && r->owner != r->w->block)
        snprintf(whose, sizeof whose, " of block %u of the cluster", r->owner->rank);
    snprintf(f->text, sizeof f->text, "%s %s at %s0x%" PRIx64 "%s races with a %s by another thread: %s",
             sim_space_name(r->space), sim_access_name(r->op->access, r->op->texture),
             shared ? "offset " : "", address, whose, sim_access_name(site->access, site->texture), missing);
}

/* Whether the lane stores, to the word's bytes in `mask`, what is there or what the other lane stores. */
static bool stores_same(const struct race *r, unsigned lane, uint64_t address, unsigned mask) {
    unsigned char stored[CHECK_MOST_STORED];
    if (!check_stored(r->w, r->op, lane, stored))
        return false;
    const char *memory = r->space == SIM_SPACE_SHARED ? r->owner->shared : NULL;
    uint64_t word = address & ~(uint64_t)3;
    for (unsigned i = 0; i < 4; i++) {
        if (!(mask >> i & 1))
            continue;
        const char *there = memory ? memory + word + i : (const char *)(uintptr_t)(word + i);
        if (stored[word + i - r->lanes->address[lane]] != (unsigned char)*there)
            return false;
    }
    return true;
}

static void note_reader(const struct race *r, struct check_cell *cell, uint32_t entry, unsigned lane) {
    uint32_t first = cell->read[0], second = cell->read[1];
    if (first < r->live) {
        cell->read[0] = entry;
        return;
    }
    if (event_of(r, first)->block != r->b->linear) {
        /* The newest reader is first; one of another block is kept as the second. */
        cell->read[1] = first;
        cell->read[0] = entry;
    } else if ((first & 7) == (entry & 7) && ordered(r, first, lane)) {
        cell->read[0] = entry;
    } else if (second < r->live || ordered(r, second, lane)) {
        cell->read[1] = entry;
    }
}

static void read_word(const struct race *r, struct check_cell *cell, const struct check_word *word,
                      uint64_t address, unsigned code) {
    unsigned lane = word->lane;
    if (cell->write >= r->live) {
        if (!conflicts(r, cell->write, lane, code))
            lane = word->second; /* the first may be the writer itself */
        if (lane != CHECK_NO_LANE && (lane == word->lane || conflicts(r, cell->write, lane, code)))
            report(r, SIM_FINDING_READ_AFTER_WRITE, lane, address, cell->write);
    }
    /* Two unordered readers are enough: the next writer is at most one of them.  A second implies a first. */
    if (cell->read[1] >= r->live && r->space == SIM_SPACE_SHARED && r->b->partial < r->b->full &&
        r->w->worker->cluster_size == 1)
        return;
    note_reader(r, cell, r->event | (uint32_t)word->lane << 3 | code, word->lane);
    if (word->second != CHECK_NO_LANE)
        note_reader(r, cell, r->event | (uint32_t)word->second << 3 | code, word->second);
}

static void write_word(const struct race *r, struct check_cell *cell, const struct check_word *word,
                       uint64_t address, unsigned code) {
    unsigned lane = word->lane;
    uint32_t last = cell->write;
    if (last >= r->live) {
        /* A word with a volatile or atomic access remains one for the launch. */
        if (r->space == SIM_SPACE_GLOBAL && !r->strong && event_of(r, last)->strong)
            return;
        if (conflicts(r, last, lane, code) &&
            !stores_same(r, lane, address, check_bytes_mask(last & 7) & check_bytes_mask(code)))
            report(r, SIM_FINDING_WRITE_AFTER_WRITE, lane, address, last);
    }
    for (int i = 0; i < 2; i++)
        if (cell->read[i] >= r->live && conflicts(r, cell->read[i], lane, code)) {
            report(r, SIM_FINDING_WRITE_AFTER_READ, lane, address, cell->read[i]);
            break;
        }
    uint32_t entry = r->event | (uint32_t)lane << 3 | code;
    /* An atomic must not hide an earlier plain store, so it is recorded as a reader. */
    if (r->strong && last >= r->live && r->space == SIM_SPACE_SHARED && !event_of(r, last)->strong)
        note_reader(r, cell, entry, lane);
    else
        cell->write = entry;
}

/* Reports lanes of one instruction that store different values to one place. */
static void look_within(const struct race *r, const struct check_site *site) {
    uint64_t base = r->lanes->address[r->lanes->first];
    unsigned chunk = r->bytes < 4 ? r->bytes : 4;
    for (uint32_t k = 0; k < site->count; k++) {
        const struct check_word *word = &site->words[k];
        if (word->second == CHECK_NO_LANE)
            continue;
        uint64_t address = base + (uint64_t)word->delta;
        unsigned char first[CHECK_MOST_STORED], other[CHECK_MOST_STORED];
        if (!check_stored(r->w, r->op, word->lane, first))
            return;
        const unsigned char *at = first + (address - r->lanes->address[word->lane]);
        for (uint32_t left = r->lanes->mask & ~(1u << word->lane); left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            uint64_t offset = address - r->lanes->address[lane];
            if (offset >= r->bytes || !check_stored(r->w, r->op, lane, other) ||
                memcmp(at, other + offset, chunk) == 0)
                continue;
            struct sim_finding *f = check_report_pair(
                r->w, check_code(r->w), r->in->index, lane, SIM_FINDING_WRITE_AFTER_WRITE, address,
                check_code(r->w), r->in->index, r->b->linear, SIM_LANES * r->w->index + word->lane);
            if (f)
                snprintf(f->text, sizeof f->text,
                         "lanes of one %s store write different values to %s0x%" PRIx64,
                         sim_space_name(r->space), r->space == SIM_SPACE_SHARED ? "offset " : "", address);
            return;
        }
    }
}

/* Records and checks an access of the word.  Most words have not been accessed since all threads were last
 * ordered, so there is nothing to race with. */
static inline void look_at(const struct race *r, struct check_cell *cell, const struct check_word *word,
                           uint64_t address, bool writes) {
    unsigned code = check_bytes_code(address, r->bytes);
    if (cell->write >= r->live || cell->read[0] >= r->live) {
        (writes ? write_word : read_word)(r, cell, word, address, code);
        return;
    }
    uint32_t entry = r->event | (uint32_t)word->lane << 3 | code;
    if (writes) {
        cell->write = entry;
        return;
    }
    cell->read[0] = entry;
    if (word->second != CHECK_NO_LANE)
        cell->read[1] = r->event | (uint32_t)word->second << 3 | code;
}

static void look_shared(const struct race *r, const struct check_site *site, bool writes) {
    uint64_t base = r->lanes->address[r->lanes->first];
    for (uint32_t k = 0; k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        look_at(r, &r->owner->check->cells[address >> 2], &site->words[k], address, writes);
    }
}

/* Whether a load from shared memory reads only words that have no store and two unordered readers: then it
 * changes nothing, see read_word(). */
static bool says_nothing(const struct check_block *b, const struct check_site *site, uint64_t base) {
    uint32_t live = b->events.first << 8;
    if (b->partial >= b->full)
        return false;
    for (uint32_t k = 0; k < site->count; k++) {
        const struct check_cell *cell = &b->cells[(base + (uint64_t)site->words[k].delta) >> 2];
        if (cell->write >= live || cell->read[0] < live || cell->read[1] < live)
            return false;
    }
    return true;
}

/* The cells of the allocation that contains address; NULL on out-of-memory. */
static struct check_cell *cells_at(const struct race *r, struct check_site *site, uint64_t address) {
    if (!check_find_site(r->w, site, address, 1) || !site->shadow)
        return NULL;
    return site->shadow->cells ? site->shadow->cells : check_cells_of(r->b->launch->check, site->shadow);
}

/* Whether the access of a row's entry precedes this access in all words.  Lanes matter only within a warp;
 * word by word they are the same if the entries' low bytes are equal. */
static bool row_ordered(const struct race *r, uint32_t last, uint32_t entry) {
    unsigned lane = (last & 0xff) != (entry & 0xff);
    return check_ordered(r->b, event_of(r, last), 0, r->w->index, lane);
}

/* Does the work of read_word() and write_word() for a whole row.  False if the words must be checked one by
 * one: there is a race, or they were accessed one by one. */
static bool take_row(const struct race *r, struct check_row *row, uint32_t entry, bool writes) {
    uint32_t first = row->read[0], second = row->read[1];
    if (row->scattered >= r->live || (row->write >= r->live && !row_ordered(r, row->write, entry)))
        return false;
    if (writes) {
        if ((first >= r->live && !row_ordered(r, first, entry)) ||
            (second >= r->live && !row_ordered(r, second, entry)))
            return false;
        row->write = entry;
    } else if (first < r->live) {
        row->read[0] = entry;
    } else if (event_of(r, first)->block != r->b->linear) {
        row->read[1] = first;
        row->read[0] = entry;
    } else if (row_ordered(r, first, entry)) {
        row->read[0] = entry;
    } else if (second < r->live || row_ordered(r, second, entry)) {
        row->read[1] = entry;
    }
    return true;
}

/* Moves the row's entries to its words' cells. */
static void scatter(const struct race *r, struct check_row *row, struct check_cell *cells) {
    if (row->write >= r->live || row->read[0] >= r->live)
        for (unsigned k = 0; k < CHECK_ROW_WORDS; k++)
            cells[k] = (struct check_cell){
                .write = check_row_entry(row->write, k),
                .read = {check_row_entry(row->read[0], k), check_row_entry(row->read[1], k)}};
    *row = (struct check_row){.scattered = r->event};
}

static void look_global(const struct race *r, struct check_site *site, bool writes) {
    uint64_t base = r->lanes->address[r->lanes->first];
    uint32_t rows = r->strong ? 0 : site->rows;
    for (uint32_t k = 0; k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        struct check_cell *cells = cells_at(r, site, address);
        if (!cells)
            continue;
        uint64_t word = (address >> 2) - (site->base >> 2), first = word - word % CHECK_ROW_WORDS;
        struct check_row *row = &site->shadow->rows[word / CHECK_ROW_WORDS];
        if (k % CHECK_ROW_WORDS == 0 && word == first && rows >> k / CHECK_ROW_WORDS & 1 &&
            take_row(r, row, r->event | (uint32_t)site->words[k].lane << 3 | site->shift, writes)) {
            k += CHECK_ROW_WORDS - 1;
            continue;
        }
        if (row->scattered < r->live)
            scatter(r, row, &cells[first]);
        row->scattered = r->event;
        look_at(r, &cells[word], &site->words[k], address, writes);
    }
}

static void look(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                 enum sim_space space, const struct sim_lanes *lanes, unsigned bytes, struct check_site *site,
                 struct sim_block *owner) {
    bool strong = check_is_strong(op), writes = op->access != SIM_ACCESS_LOAD;
    if (strong)
        check_synchronise(w, op, space);
    struct check_events *events =
        space == SIM_SPACE_SHARED ? &owner->check->events : &w->check->launch->check->events;
    uint32_t event = number(w, op, space, owner->check, events, site);
    if (!event)
        return;
    struct race race = {.w = w,
                        .in = in,
                        .op = op,
                        .lanes = lanes,
                        .bytes = bytes,
                        .space = space,
                        .b = w->check,
                        .owner = owner,
                        .events = events,
                        .event = event << 8,
                        .live = events->first << 8,
                        .strong = strong};
    if (writes && !strong && site->shares)
        look_within(&race, site);
    if (space == SIM_SPACE_SHARED)
        look_shared(&race, site, writes);
    else
        look_global(&race, site, writes || strong);
}

bool check_races(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                 enum sim_space space, const struct sim_lanes *lanes, unsigned bytes,
                 struct check_site *site) {
    if (space == SIM_SPACE_SHARED && !check_is_strong(op) && op->access == SIM_ACCESS_LOAD &&
        w->worker->cluster_size == 1 && says_nothing(w->check, site, lanes->address[lanes->first]))
        return true;
    look(w, in, op, space, lanes, bytes, site, w->block);
    return false;
}

void check_races_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                     const struct sim_lanes *lanes, unsigned bytes, struct check_site *site,
                     struct sim_block *owner) {
    site->event = 0; /* each block has its own numbers */
    look(w, in, op, SIM_SPACE_SHARED, lanes, bytes, site, owner);
    site->event = 0;
}
