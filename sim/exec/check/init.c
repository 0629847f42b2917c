/* Reads of bytes that were never written.
 *
 * Global memory: any such byte, as in compute-sanitizer.  Shared and local memory: an element without any
 * written byte.  Padding (padding.c) may be loaded, because structures are copied with theirs, but not used
 * in computations (uses.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"
#include "sim/exec/memory/access.h"

/* access: the beginning of the lane's access; at: the unwritten byte. */
static void report(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   enum sim_space space, unsigned lane, uint64_t access, uint64_t at, unsigned bytes) {
    struct sim_finding *f = check_report(w, check_code(w), in, lane, SIM_FINDING_UNINITIALIZED, at);
    if (!f)
        return;
    char byte[40] = "", where[200] = "";
    if (at != access)
        snprintf(byte, sizeof byte, " at 0x%" PRIx64, at);
    if (space == SIM_SPACE_GLOBAL) {
        where[0] = ':', where[1] = ' ';
        sim_memory_describe(w->worker->launch->memory, at, where + 2, sizeof where - 2);
    }
    snprintf(f->text, sizeof f->text, "%u-byte %s %s at %s0x%" PRIx64 " reads what nobody wrote%s%s", bytes,
             sim_space_name(space), sim_access_name(op->access, op->texture),
             space == SIM_SPACE_GLOBAL ? "" : "offset ", access, byte, where);
}

/* A texel's element may be narrower than the register that it is read into. */
static unsigned element_bytes(const struct sim_memop *op, unsigned bytes) {
    return bytes < op->width ? bytes : op->width;
}

/* The first byte of a lane's access that must not be read; false if there is none.  strict: any unwritten
 * byte that is not padding; otherwise only those of elements without a written byte. */
static bool find_misread(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                         const struct check_map *map, uint64_t address, unsigned bytes, bool strict,
                         struct check_site *site, uint64_t *at) {
    const unsigned width = element_bytes(op, bytes);
    struct check_run run = {0};
    for (unsigned e = 0; e < bytes; e += width) {
        unsigned missing = 0, padding = 0;
        uint64_t first = 0;
        for (uint64_t next = address + e; next < address + e + width; next++) {
            if (next >= run.end && check_map_has(map, next))
                continue;
            if (next >= run.end)
                run = check_map_run(map, next);
            if (!missing || (padding == missing && !run.padding))
                first = next;
            missing++;
            padding += run.padding;
        }
        *at = first;
        if (!missing || (missing < width && !strict))
            continue;
        if (padding < missing || op->access != SIM_ACCESS_LOAD ||
            (missing == width && check_computes(check_code(w), in->index, e / width, site)))
            return true;
    }
    return false;
}

/* The shadow of the allocation that contains address; there must be one. */
static struct check_shadow *locate(struct sim_warp *w, struct check_site *site, uint64_t address) {
    return check_find_site(w, site, address, 1) ? site->shadow : NULL;
}

static bool is_complete(const struct check_shadow *shadow) {
    return !shadow || !shadow->init || shadow->complete;
}

static void look_global(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                        const struct sim_lanes *lanes, unsigned bytes, struct check_site *site) {
    uint64_t base = lanes->address[lanes->first];
    unsigned chunk = bytes < 4 ? bytes : 4;
    bool reads = op->access != SIM_ACCESS_STORE, writes = op->access != SIM_ACCESS_LOAD;
    unsigned looked = CHECK_NO_LANE; /* the last lane examined: a lane's words are consecutive */
    if (base + (uint64_t)site->low >= site->base && base + (uint64_t)site->high < site->end &&
        is_complete(site->shadow))
        return;
    for (uint32_t k = 0; k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        struct check_shadow *shadow = locate(w, site, address);
        if (is_complete(shadow))
            continue;
        uint64_t offset = address - shadow->base, at;
        const unsigned lane = site->words[k].lane;
        if (reads && lane != looked && !check_bits_all(shadow->init, offset, chunk)) {
            const struct check_map map = check_map_of(shadow);
            looked = lane;
            if (find_misread(w, in, op, &map, lanes->address[lane], bytes, true, site, &at)) {
                report(w, in, op, SIM_SPACE_GLOBAL, lane, lanes->address[lane], at, bytes);
                reads = false; /* one report per access of a warp is enough */
            }
        }
        if (writes) {
            check_bits_set(shadow->init, offset, chunk);
            check_widen(&shadow->widest, bytes);
        }
    }
}

bool check_init_shared(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                       struct check_block *owner, const struct sim_lanes *lanes, unsigned bytes,
                       struct check_site *site) {
    uint64_t base = lanes->address[lanes->first], at;
    uint8_t *init = owner->init;
    bool reads = op->access != SIM_ACCESS_STORE, writes = op->access != SIM_ACCESS_LOAD, missing = false;
    if (writes)
        check_widen(&owner->widest, bytes);
    /* The usual cases first: loads and stores of whole words. */
    if (bytes >= 4 && !(reads && writes)) {
        uint8_t known = 0xf;
        for (uint32_t k = 0; k < site->count; k++) {
            uint8_t *word = &init[(base + (uint64_t)site->words[k].delta) >> 2];
            known &= *word;
            if (writes)
                *word = 0xf;
        }
        if (writes || known == 0xf)
            return true;
    }
    for (uint32_t k = 0; k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        uint8_t mask = (uint8_t)check_bytes_mask(check_bytes_code(address, bytes));
        missing |= reads && (init[address >> 2] & mask) != mask;
        if (writes && !reads)
            init[address >> 2] |= mask;
    }
    const struct check_map map = {
        .words = init, .stride = 1, .end = 4 * (uint64_t)owner->words, .widest = owner->widest};
    for (uint32_t left = missing ? lanes->mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!find_misread(w, in, op, &map, lanes->address[lane], bytes, false, site, &at))
            continue;
        report(w, in, op, SIM_SPACE_SHARED, lane, at, at, element_bytes(op, bytes));
        break; /* one report per access of a warp is enough */
    }
    for (uint32_t k = 0; reads && writes && k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        init[address >> 2] |= (uint8_t)check_bytes_mask(check_bytes_code(address, bytes));
    }
    return !missing;
}

static uint8_t *local_init(struct sim_warp *w) {
    struct check_block *b = w->check;
    if (b->local_words[w->index] < w->local_words) {
        uint8_t *grown = realloc(b->local[w->index], w->local_words * SIM_LANES);
        if (!grown)
            return NULL;
        size_t known = b->local_words[w->index] * SIM_LANES;
        memset(grown + known, 0, w->local_words * SIM_LANES - known);
        b->local[w->index] = grown;
        b->local_words[w->index] = w->local_words;
    }
    return b->local[w->index];
}

static void look_local(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                       const struct sim_lanes *lanes, unsigned bytes, struct check_site *site) {
    uint8_t *init = local_init(w);
    uint64_t at;
    if (op->access == SIM_ACCESS_STORE)
        check_widen(&w->check->widest_local, bytes);
    struct check_map map = {
        .stride = SIM_LANES, .end = 4 * (uint64_t)w->local_words, .widest = w->check->widest_local};
    for (uint32_t left = init ? lanes->mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = lanes->address[lane];
        if (op->access == SIM_ACCESS_STORE) {
            for (unsigned i = 0; i < bytes; i += bytes < 4 ? bytes : 4)
                init[((address + i) >> 2) * SIM_LANES + lane] |=
                    (uint8_t)check_bytes_mask(check_bytes_code(address, bytes));
            continue;
        }
        map.words = init + lane;
        if (find_misread(w, in, op, &map, address, bytes, false, site, &at)) {
            report(w, in, op, SIM_SPACE_LOCAL, lane, at, at, element_bytes(op, bytes));
            return;
        }
    }
}

void sim_check_bulk_load(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                         uint32_t size) {
    uint64_t at;
    if (!(w->check->launch->checks & SIM_CHECK_INIT) ||
        !check_find_unwritten(w->check->launch->check, address, size, &at))
        return;
    struct sim_finding *f = check_report(w, check_code(w), in, lane, SIM_FINDING_UNINITIALIZED, at);
    if (!f)
        return;
    char where[200];
    sim_memory_describe(w->worker->launch->memory, at, where, sizeof where);
    snprintf(f->text, sizeof f->text,
             "bulk copy of %u bytes at 0x%" PRIx64 " reads what nobody wrote at 0x%" PRIx64 ": %s", size,
             address, at, where);
}

void sim_check_bulk_store(struct sim_warp *w, uint64_t address, uint32_t size) {
    sim_check_written(w->check->launch->check, address, size);
}

void sim_check_bulk_fill(struct sim_block *owner, uint64_t offset, uint32_t size) {
    struct check_block *b = owner->check;
    check_changed(b);
    memset(b->init + offset / 4, 0xf, size / 4);
    memset(b->cells + offset / 4, 0, size / 4 * sizeof *b->cells);
}

bool check_init(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                enum sim_space space, const struct sim_lanes *lanes, unsigned bytes,
                struct check_site *site) {
    if (space == SIM_SPACE_GLOBAL)
        look_global(w, in, op, lanes, bytes, site);
    else if (space == SIM_SPACE_SHARED)
        return check_init_shared(w, in, op, w->check, lanes, bytes, site);
    else
        look_local(w, in, op, lanes, bytes, site);
    return false;
}
