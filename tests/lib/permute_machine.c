/* The kernels of wl_permute in plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "permute_machine.h"

#include "lib/permute/permute_units.h"

uint64_t elements_of(const struct problem *p) {
    uint64_t n = 1;
    for (unsigned i = 0; i < p->rank; i++)
        n *= p->sizes[i];
    return n;
}

/* The input index of output element i. */
static uint64_t source(const struct problem *p, uint64_t i) {
    uint64_t stride[WL_RANK_MAX], at = 0, step = 1;
    for (unsigned d = p->rank; d-- > 0; step *= p->sizes[d])
        stride[d] = step;
    for (unsigned k = p->rank; k-- > 0;) {
        unsigned d = p->order[k];
        at += i % p->sizes[d] * stride[d];
        i /= p->sizes[d];
    }
    return at;
}

void describe(char *text, size_t bytes, const struct problem *p) {
    int used = snprintf(text, bytes, "width %u:", p->width);
    for (unsigned i = 0; i < p->rank; i++)
        used += snprintf(text + used, bytes - (size_t)used, " %llu", (unsigned long long)p->sizes[i]);
    used += snprintf(text + used, bytes - (size_t)used, " order");
    for (unsigned i = 0; i < p->rank; i++)
        used += snprintf(text + used, bytes - (size_t)used, " %u", p->order[i]);
}

/* ---------------------------------------------------------------- the kernels in plain C */

struct machine {
    const char *what;
    uint8_t *from, *to, *memory;
    uint64_t from_address, to_address; /* the addresses given to the plan */
    uint64_t bytes;
    unsigned width;
    unsigned memory_bytes;
};

static uint32_t divide(uint32_t n, const struct wl_permute_divisor *by) {
    uint32_t quotient = (uint32_t)(((uint64_t)n * by->magic) >> 32) >> by->shift;
    assert_int_equal(quotient, n / by->count);
    return quotient;
}

static unsigned tile_place(const struct wl_permute_tiles *p, uint32_t tile, uint64_t *in, uint64_t *out,
                           uint32_t *row) {
    unsigned ends = 3;
    *in = p->from;
    *out = p->to;
    *row = 0;
    for (uint32_t i = 0; i < p->digits; i++) {
        const struct wl_permute_digit *digit = &p->digit[i];
        uint32_t rest = divide(tile, &digit->by), place = tile - rest * digit->by.count;
        *in += place * digit->in - (place == digit->by.count - 1 ? digit->in_back : 0);
        *out += place * digit->out - (place == digit->by.count - 1 ? digit->out_back : 0);
        *row += place * digit->row - (place == digit->by.count - 1 ? digit->row_back : 0);
        if (digit->edges)
            ends = (place == 0) + 2 * (place == digit->by.count - 1);
        tile = rest;
    }
    return ends;
}

/* Surplus blocks, from rounding up a grid, repeat the first ones' tiles. */
static void surplus_repeats(const struct wl_permute_tiles *p) {
    uint64_t in, out, first_in, first_out;
    uint32_t row, first_row;
    for (uint32_t k = 0; k < 8 && k < p->tiles; k++) {
        unsigned ends = tile_place(p, p->tiles + k, &in, &out, &row);
        assert_int_equal(ends, tile_place(p, k, &first_in, &first_out, &first_row));
        assert_true(in == first_in && out == first_out && row == first_row);
    }
}

static int64_t thread_place(const struct wl_permute_side *side, uint32_t thread, uint64_t *shared,
                            uint64_t *global) {
    int64_t begin = 0;
    *shared = *global = 0;
    for (uint32_t i = 0; i < side->parts; i++) {
        uint32_t rest = divide(thread, &side->part[i].by), place = thread - rest * side->part[i].by.count;
        *shared += (uint64_t)place * side->part[i].shared;
        *global += place * side->part[i].global;
        begin += (int64_t)place * side->part[i].begin;
        thread = rest;
    }
    return begin;
}

static uint8_t *in_array(const struct machine *m, uint8_t *array, uint64_t address, uint64_t base,
                         unsigned width) {
    if (address % width || address < base || address + width > base + m->bytes)
        fail_msg("%s: an access of %u bytes at %lld of %llu", m->what, width, (long long)(address - base),
                 (unsigned long long)m->bytes);
    return array + (address - base);
}

static uint8_t *in_memory(const struct machine *m, uint64_t at, unsigned width) {
    if (at % width || at + width > m->memory_bytes)
        fail_msg("%s: byte %llu of a tile's %u", m->what, (unsigned long long)at, m->memory_bytes);
    return m->memory + at;
}

/* An access begins at `address`, and `begin` elements into a row: shifts it down to a multiple of its width
 * and counts its row's elements. */
static void shift(uint64_t *address, uint64_t *shared, int64_t *begin, const struct wl_permute_side *side,
                  unsigned width) {
    uint64_t by = *address % WL_PERMUTE_ACCESS / width;
    *address -= by * width;
    *shared -= by * side->step;
    *begin -= (int64_t)by;
}

static void run_side(const struct machine *m, const struct wl__permute_plan *plan, uint64_t tile_place,
                     const struct wl_permute_side *side, bool shifted, bool loads, unsigned ends) {
    unsigned vector = WL_PERMUTE_ACCESS / plan->width;
    for (unsigned thread = 0; thread < plan->threads; thread++) {
        uint64_t shared, global;
        int64_t first = thread_place(side, thread, &shared, &global);
        for (unsigned k = 0; k < WL_PERMUTE_PASSES; k++) {
            uint64_t address = tile_place + global + side->global[k], at = shared + side->shared[k];
            int64_t begin = first + side->begin[k];
            if (thread >= side->limit[k])
                continue;
            if (shifted)
                shift(&address, &at, &begin, side, plan->width);
            else if (address % WL_PERMUTE_ACCESS)
                fail_msg("%s: an access at %lld", m->what, (long long)(address - tile_place));
            /* That element belongs to the neighbouring tile. */
            if (shifted && !loads && !(begin >= 0 && begin < side->whole) && !(ends & (begin < 0 ? 1 : 2)))
                continue;
            for (unsigned j = 0; j < vector; j++) {
                if (shifted && (begin + j < 0 || begin + j >= side->length))
                    continue;
                uint64_t element = address + j * plan->width;
                uint8_t *kept = in_memory(m, at + j * side->step, plan->width);
                if (loads)
                    memcpy(kept, in_array(m, m->from, element, m->from_address, plan->width), plan->width);
                else
                    memcpy(in_array(m, m->to, element, m->to_address, plan->width), kept, plan->width);
            }
        }
    }
}

static void run_tile(const struct machine *m, const void *any, uint32_t tile) {
    const struct wl__permute_plan *plan = any;
    uint64_t in_tile, out_tile;
    uint32_t row;
    unsigned ends = tile_place(&plan->sides.tiles, tile, &in_tile, &out_tile, &row);
    memset(m->memory, 0xEE, m->memory_bytes);
    run_side(m, plan, in_tile, &plan->sides.in, plan->in_shifted, true, 3);
    run_side(m, plan, out_tile, &plan->sides.out, plan->out_shifted, false, ends);
}

/* ---------------------------------------------------------------- the kernel of asynchronous loads */

/* The place of a vector or a part of one in the tile's memory: within its 128 bytes. */
static uint8_t *turned(const struct machine *m, const struct wl_permute_sides *p, uint64_t at,
                       unsigned width) {
    return in_memory(m, at ^ (at >> p->turn & (WL_PERMUTE_LINE - WL_PERMUTE_ACCESS)), width);
}

static void load_vectors(const struct machine *m, const struct wl__permute_plan *plan, uint64_t tile) {
    const struct wl_permute_sides *p = &plan->sides;
    for (unsigned thread = 0; thread < plan->threads; thread++) {
        uint64_t shared, global;
        thread_place(&p->in, thread, &shared, &global);
        for (unsigned k = 0; k < WL_PERMUTE_PASSES; k++) {
            uint64_t from = tile + global + p->in.global[k],
                     at = tile % WL_PERMUTE_LINE + shared + p->in.shared[k];
            if (thread >= p->in.limit[k])
                continue;
            if (from % WL_PERMUTE_LINE != at % WL_PERMUTE_LINE)
                fail_msg("%s: byte %llu is at %llu", m->what, (unsigned long long)from,
                         (unsigned long long)at);
            memcpy(turned(m, p, at, 16), in_array(m, m->from, from, m->from_address, 16), 16);
        }
    }
}

/* A thread's accesses in one pass: words of rows, and as many columns as a word has elements. */
static void store_vectors(const struct machine *m, const struct wl__permute_plan *plan, uint64_t to,
                          uint64_t at) {
    const struct wl_permute_sides *p = &plan->sides;
    unsigned width = plan->width, group = width < 4 ? 4 / width : 1, word = group * width;
    for (unsigned column = 0; column < group; column++)
        for (unsigned i = 0; i < 16 / width; i++) {
            const uint8_t *read = turned(m, p, at + i * (uint64_t)p->out.step, word);
            memcpy(in_array(m, m->to, to + column * p->column, m->to_address, 16) + i * width,
                   read + column * width, width);
        }
}

static void run_async(const struct machine *m, const void *any, uint32_t tile) {
    const struct wl__permute_plan *plan = any;
    const struct wl_permute_sides *p = &plan->sides;
    uint64_t in_tile, out_tile;
    uint32_t row;
    tile_place(&p->tiles, tile, &in_tile, &out_tile, &row);
    memset(m->memory, 0xEE, m->memory_bytes);
    load_vectors(m, plan, in_tile);
    for (unsigned thread = 0; thread < plan->threads; thread++) {
        uint64_t shared, global;
        thread_place(&p->out, thread, &shared, &global);
        for (unsigned k = 0; k < WL_PERMUTE_PASSES; k++)
            if (thread < p->out.limit[k])
                store_vectors(m, plan, out_tile + global + p->out.global[k],
                              in_tile % WL_PERMUTE_LINE + shared + p->out.shared[k]);
    }
}

/* ---------------------------------------------------------------- the kernel of bulk copies */

static uint32_t digit_of(uint32_t *number, const struct wl_permute_divisor *by) {
    uint32_t digit = *number % by->count;
    assert_int_equal(by->count > 1 ? divide(*number, by) : *number, *number / by->count);
    *number /= by->count;
    return digit;
}

/* Where a row of joined dimensions is loaded from, with how many of the following rows.  Returns how many
 * rows precede it in its load. */
static uint32_t joined_row(const struct wl_permute_bulk *p, uint32_t first, uint32_t row, uint64_t *from,
                           uint32_t *rows) {
    uint32_t number = first + row, before = 0;
    *rows = 1;
    for (uint32_t i = 0; i < p->joined_parts; i++) {
        uint32_t count = p->joined[i].by.count, digit = digit_of(&number, &p->joined[i].by);
        if (p->joined_load && i == 0) {
            before = digit < row ? digit : row;
            *rows = count - digit + before;
            if (*rows > p->turn.count - row + before)
                *rows = p->turn.count - row + before;
            digit -= before;
        }
        *from += digit * p->joined[i].in;
    }
    assert_int_equal(number, 0);
    return before;
}

/* Fills the tile's memory; place: the place of each row. */
static void load_rows(const struct machine *m, const struct wl__permute_bulk_plan *plan, uint64_t tile,
                      uint32_t first, uint32_t *place) {
    const struct wl_permute_bulk *p = &plan->bulk;
    unsigned vector = plan->words     ? 4
                      : plan->element ? WL_PERMUTE_UNITS_GROUP(plan->element)
                                      : WL_PERMUTE_ACCESS / m->width;
    for (uint32_t r = 0; r < p->rows; r++) {
        uint64_t from = tile;
        uint32_t number = r, inner = 0, loads = 0, each = 1, load = p->load, turns = 0, turns_each = 1;
        if (p->joined_parts) {
            uint32_t row = digit_of(&number, &p->turn), rows;
            uint32_t before = joined_row(p, first, row, &from, &rows);
            inner = before * p->joined_load;
            if (p->joined_load)
                load = rows * p->joined_load;
            loads = row - before;
            each = p->turn.count;
            turns = (first + row) / p->joined[0].by.count - first / p->joined[0].by.count;
            turns_each = p->turns;
        }
        for (uint32_t i = 0; i < p->row_parts; i++) {
            uint32_t digit = digit_of(&number, &p->row[i].by);
            inner += digit * p->row[i].inner;
            if (!p->row[i].inner) {
                if (each > 1) {
                    turns += digit * turns_each;
                    turns_each *= p->row[i].by.count;
                }
                loads += digit * each;
                each *= p->row[i].by.count;
                from += digit * p->row[i].in;
            }
        }
        uint32_t at = loads * p->pitch + loads / vector * p->swizzle + turns * p->turn_pad;
        at += ((uint32_t)from - at) & (p->phase - 1);
        place[r] = at + inner;
        if (inner)
            continue;
        uint32_t shift = from % WL_PERMUTE_ACCESS;
        if (plan->narrow && p->load_table) {
            assert_in_range(loads, 0, p->loads - 1);
            if (p->vectors.count)
                assert_true(shift + load <= p->vectors.count * WL_PERMUTE_ACCESS);
        }
        /* The window is in the tile's memory, and no other load has written there. */
        assert_in_range(at - shift + (shift + load + 15) / 16 * 16, 1, p->run_table);
        for (uint32_t i = 0; i < load; i++) {
            if (m->memory[at + i] != 0xEE &&
                m->memory[at + i] != *in_array(m, m->from, from + i, m->from_address, 1))
                fail_msg("%s: loads overlap at byte %u", m->what, at + i);
            m->memory[at + i] = *in_array(m, m->from, from + i, m->from_address, 1);
        }
    }
}

static void store_run(const struct machine *m, const struct wl_permute_bulk *p, unsigned width, uint32_t r,
                      uint64_t to, const uint32_t *place, unsigned ends) {
    uint32_t along = 0, row = 0, number = r;
    for (uint32_t i = 0; i < p->run_parts; i++) {
        uint32_t digit = digit_of(&number, &p->run[i].by);
        to += digit * p->run[i].out;
        row += digit * p->run[i].rows;
        along += digit * p->run[i].along;
    }
    assert_int_equal(number, 0);
    uint64_t past = to % WL_PERMUTE_LINE;
    unsigned vector = WL_PERMUTE_ACCESS / width, sector = WL_PERMUTE_SECTOR / width;
    for (uint32_t v = 0; v < p->along.count * p->lanes; v++)
        for (unsigned j = 0; j < vector; j++) {
            int64_t begin = ((int64_t)v * WL_PERMUTE_ACCESS - (int64_t)past) / width, e = begin + j;
            uint64_t address = to - past + v * WL_PERMUTE_ACCESS;
            int64_t first = begin - (int64_t)(address % WL_PERMUTE_SECTOR / width);
            if (e < 0 || e >= p->length || (first < 0 && !(ends & 1)) ||
                (first + sector > p->length && !(ends & 2)))
                continue;
            uint32_t turn = (uint32_t)e % p->turn.count, element = (uint32_t)e / p->turn.count;
            assert_in_range(row + turn, 0, p->rows - 1);
            memcpy(in_array(m, m->to, address + j * width, m->to_address, width),
                   in_memory(m, place[row + turn] + along + element * width, width), width);
        }
    /* The lanes reach the run's end. */
    assert_true(p->along.count * p->lanes * WL_PERMUTE_ACCESS >= past + p->length * width);
}

static uint64_t column_place(const struct wl_permute_bulk *p, uint32_t column) {
    return column * p->column_out + column / p->inner.count * p->column_skip;
}

/* Unit i of a column's run, which may continue in the next columns. */
static void store_unit(const struct machine *m, const struct wl_permute_bulk *p, uint64_t to, uint32_t along,
                       const uint32_t *place, uint32_t column, uint32_t i) {
    uint32_t further = column + i / p->span.count, row = i % p->span.count / p->units, inside = 0;
    assert_true(further < p->columns && (p->wraps || further == column));
    assert_int_equal(further / p->inner.count, column / p->inner.count);
    if (p->element) {
        inside = row / p->turn.count * p->next_in;
        row %= p->turn.count;
    }
    memcpy(in_array(m, m->to, to + column_place(p, column) + i * m->width, m->to_address, m->width),
           in_memory(m, place[row] + along + further * p->column_in + inside + i % p->units * m->width,
                     m->width),
           m->width);
}

/* The lanes and the tables reach the sector that begins at unit i of a column's run. */
static void check_reach(const struct machine *m, const struct wl__permute_bulk_plan *plan, uint32_t before,
                        uint32_t i) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t sector = WL_PERMUTE_SECTOR / m->width;
    if (plan->words) {
        const uint32_t stretch = i / p->step, held = 4 * p->lanes << p->two;
        assert_in_range(stretch, 0, p->stretches.count - 1);
        assert_true(i - stretch * p->step + sector <= held && i + sector <= p->table_rows);
        return;
    }
    if (plan->element) {
        /* Groups begin where a sector begins with an element. */
        const uint32_t element = plan->element, all = WL_PERMUTE_UNITS_ALIKE(element);
        uint32_t first = 0;
        while ((first * p->units + all * p->units - before) % sector)
            first++;
        assert_true(first < all && (first == 0 || p->before >= all));
        first = first ? all - first : 0;
        const uint32_t taken = p->along.count * p->lanes * WL_PERMUTE_UNITS_GROUP(element);
        assert_true(first * p->units + i + sector <= taken * p->units);
        assert_true(i + sector <= p->table_rows * p->units);
        assert_int_equal(p->before + taken, p->table_rows + (p->others_in_all ? p->others.count : 0));
        return;
    }
    assert_true(p->along.count * p->lanes * WL_PERMUTE_ACCESS >= (i - before + sector) * m->width);
    assert_true(i + sector <= p->quarter * 16 / m->width);
}

/* What groups read past a run, or past the last column, is no warp's stage. */
static void check_reads(const struct wl__permute_bulk_plan *plan, uint32_t along, const uint32_t *place) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t grain = WL_PERMUTE_UNITS_GRAIN(plan->element), least = grain < 4 ? grain : 4;
    for (uint32_t i = 0; i < p->table_rows; i++) {
        const uint32_t first = place[i % p->turn.count] + i / p->turn.count * p->next_in + along +
                               (p->columns - 1) * p->column_in;
        assert_true(first / 4 * 4 + (plan->element + 7 - least) / 4 * 4 <= p->stage);
    }
}

/* Stores the columns' runs: the sectors that begin and end in them, or in the tile; then what is left at the
 * ends. */
static void store_columns(const struct machine *m, const struct wl__permute_bulk_plan *plan, uint32_t r,
                          uint64_t to, const uint32_t *place, unsigned ends) {
    const struct wl_permute_bulk *p = &plan->bulk;
    uint32_t along = 0, row = 0, number = r, sector = WL_PERMUTE_SECTOR / m->width;
    for (uint32_t i = 0; i < p->run_parts; i++) {
        uint32_t digit = digit_of(&number, &p->run[i].by);
        to += digit * p->run[i].out;
        row += digit * p->run[i].rows;
        along += digit * p->run[i].along;
    }
    assert_int_equal(number, 0);
    assert_int_equal(row % p->turn.count, 0);
    place += row;
    if (plan->element) {
        assert_int_equal(p->ends.count, p->wraps ? 1 : p->columns);
        check_reads(plan, along, place);
    } else
        assert_int_equal(p->ends.count * (p->wraps ? p->inner.count : 1), p->columns);
    if (plan->words) {
        assert_true(p->chunks.count * p->chunk * 4 >= p->columns);
    } else {
        assert_true(p->kinds.count * (32 / p->lanes) >= (p->columns < p->alike ? p->columns : p->alike));
        assert_true(p->alike >= p->columns || p->alike * p->column_out % WL_PERMUTE_SECTOR == 0);
        if (!plan->element || !p->wraps)
            assert_int_equal(p->inner.count, p->columns);
    }
    for (uint32_t column = 0; column < p->columns; column++) {
        uint32_t before = (uint32_t)(-(to + column_place(p, column)) % WL_PERMUTE_SECTOR / m->width);
        const uint32_t inner = column % p->inner.count;
        uint32_t length = p->wraps && plan->element ? p->total - column * p->span.count
                          : p->wraps                ? (p->inner.count - inner) * p->span.count
                                                    : p->span.count,
                 i = before;
        for (; i + sector <= length && i < p->span.count; i += sector) {
            check_reach(m, plan, before, i);
            for (uint32_t j = 0; j < sector; j++)
                store_unit(m, p, to, along, place, column, i + j);
        }
        if (!p->torn) {
            assert_true((before == 0 || (p->wraps && inner > 0)) &&
                        (i == length || (p->wraps && i >= p->span.count)));
            continue;
        }
        if (ends & 1 && (inner == 0 || !p->wraps))
            for (uint32_t j = 0; j < before && j < length; j++)
                store_unit(m, p, to, along, place, column, j);
        if (ends & 2 && i < p->span.count)
            for (; i < length; i++)
                store_unit(m, p, to, along, place, column, i);
    }
}

/* What follows the table of runs in a tile's memory fits there. */
static void check_tables(const struct wl__permute_bulk_plan *plan, unsigned width) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t turns = p->rows / p->turn.count, warps = WL_PERMUTE_WORDS_THREADS / 32;
    uint32_t tables = plan->element  ? turns * p->table - 2 * p->before
                      : plan->narrow ? turns * (4 / width) * p->quarter * 32 / width
                                     : 4 * p->rows,
             end = p->barrier + 8;
    if (plan->narrow) {
        const uint32_t at = p->row_table + (plan->words ? turns * p->table : tables),
                       loads = p->load_table ? p->load_table + 16 * p->loads : at;
        assert_true(at <= loads && loads <= (plan->words || plan->element ? p->stage : p->barrier));
        assert_true(!p->load_table || at <= p->load_table);
        end += (uint32_t)sizeof(struct wl_permute_place);
    }
    if (plan->element) {
        assert_true(p->table >= 2 * (p->before + p->table_rows));
        assert_true(p->run_table + 16 * p->runs + 2 * p->before <= p->row_table);
        assert_true(p->stage % WL_PERMUTE_ACCESS == 0);
        tables =
            p->stage - p->row_table + WL_PERMUTE_UNITS_THREADS / 32 * WL_PERMUTE_UNITS_STAGE(plan->element);
    }
    if (plan->words) {
        tables = p->stage - p->row_table + warps * WL_PERMUTE_STAGE;
        assert_true(p->table >= 2 * p->table_rows);
        /* Four columns of each group, each with the word after its last, and up to three more. */
        assert_true((32 / p->lanes * 4 * p->stage_pitch + 1) * 4 <= WL_PERMUTE_STAGE &&
                    p->stage_pitch >= (p->lanes << p->two) + 1);
    }
    assert_true(p->row_table + tables <= p->barrier && end <= plan->memory);
}

static void run_bulk(const struct machine *m, const void *any, uint32_t tile) {
    const struct wl__permute_bulk_plan *plan = any;
    const struct wl_permute_bulk *p = &plan->bulk;
    uint64_t in_tile, out_tile;
    uint32_t first;
    unsigned ends = tile_place(&p->tiles, tile, &in_tile, &out_tile, &first), width = m->width;
    if (p->joined_rows)
        ends = (first == 0) + 2 * (first + p->turn.count == p->joined_rows);
    uint32_t *place = malloc(p->rows * sizeof(*place));
    assert_true(p->run_table + 16 * p->runs <= p->row_table);
    check_tables(plan, width);
    memset(m->memory, 0xEE, m->memory_bytes);
    load_rows(m, plan, in_tile, first, place);
    if (plan->narrow) {
        if (plan->words)
            assert_true(p->tasks * (32 / p->lanes) >= p->runs * p->chunks.count * p->stretches.count);
        else
            assert_int_equal(p->cells, p->runs * p->kinds.count * p->along.count);
        for (uint32_t r = 0; r < p->runs; r++)
            store_columns(m, plan, r, out_tile, place, ends);
    } else {
        assert_int_equal(p->cells, (p->runs + 32 / p->lanes - 1) / (32 / p->lanes) * p->along.count);
        for (uint32_t r = 0; r < p->runs; r++)
            store_run(m, p, width, r, out_tile, place, ends);
    }
    free(place);
}

typedef void run_fn(const struct machine *m, const void *plan, uint32_t tile);

static void carry_out(const struct problem *p, const void *plan, const struct wl_permute_tiles *tiles,
                      unsigned width, unsigned memory, run_fn *run) {
    char what[256];
    describe(what, sizeof(what), p);
    uint64_t n = elements_of(p), bytes = n * p->width;
    struct machine m = {what,  malloc(bytes), malloc(bytes), malloc(memory + 1), tiles->from, tiles->to,
                        bytes, width,         memory};
    assert_int_equal(tiles->bytes, bytes);
    for (uint64_t i = 0; i < bytes; i++) {
        m.from[i] = (uint8_t)((i / p->width * 2654435761u + i % p->width * 40503u) >> 13);
        m.to[i] = (uint8_t)~i;
    }
    surplus_repeats(tiles);
    for (uint32_t tile = 0; tile < tiles->tiles; tile++)
        run(&m, plan, tile);
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(m.to + i * p->width, m.from + source(p, i) * p->width, p->width))
            fail_msg("%s: element %llu", what, (unsigned long long)i);
    free(m.from);
    free(m.to);
    free(m.memory);
}

void carry_out_tiles(const struct problem *p, const struct wl__permute_plan *plan) {
    carry_out(p, plan, &plan->sides.tiles, plan->width, plan->memory, run_tile);
}

void carry_out_async(const struct problem *p, const struct wl__permute_plan *plan) {
    assert_true(plan->is_async);
    assert_in_range(plan->threads, 1, 256);
    assert_in_range(plan->passes, 1, WL_PERMUTE_PASSES);
    carry_out(p, plan, &plan->sides.tiles, plan->width, plan->memory, run_async);
}

/* A row's load, times 2^16, and its place along it. */
static uint32_t row_place(const struct wl_permute_bulk *p, uint32_t row) {
    uint32_t place = 0, each = 1;
    if (p->joined_parts) {
        place = row % p->turn.count << 16;
        row /= each = p->turn.count;
    }
    for (uint32_t i = 0; i < p->row_parts; i++) {
        const uint32_t count = p->row[i].by.count;
        place += row % count * (p->row[i].inner ? p->row[i].inner : each << 16);
        each *= p->row[i].inner ? 1 : count;
        row /= count;
    }
    return place;
}

/* Threads find the places of their rows by steps. */
static void check_steps(const struct wl__permute_bulk_plan *plan) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t threads = plan->threads;
    for (uint32_t thread = 0; thread < threads && thread < p->rows; thread++) {
        uint32_t digit[WL_PERMUTE_RANK + 1], number = thread, place = 0, turn = thread / p->turn.count,
                                             i = thread % p->turn.count;
        for (uint32_t d = 0; d < p->digits; d++) {
            digit[d] = digit_of(&number, &p->digit[d].by);
            place += digit[d] * p->digit[d].place;
        }
        for (uint32_t row = thread; row < p->rows; row += threads) {
            assert_int_equal(place, row_place(p, row));
            assert_int_equal(turn * p->turn.count + i, row);
            assert_in_range(i, 0, p->turn.count - 1);
            turn += p->turn_steps;
            i += p->turn_step;
            if (i >= p->turn.count) {
                i -= p->turn.count;
                turn++;
            }
            for (uint32_t d = 0, carry = 0; d < p->digits; d++) {
                place += p->digit[d].step * p->digit[d].place;
                digit[d] += p->digit[d].step + carry;
                carry = digit[d] >= p->digit[d].by.count;
                digit[d] -= carry * p->digit[d].by.count;
                place += carry * p->digit[d].carry;
            }
        }
    }
}

void carry_out_bulk(const struct problem *p, const struct wl__permute_bulk_plan *plan) {
    assert_in_range(plan->memory, 1, 56 * 1024);
    if (plan->narrow && plan->bulk.load_table)
        check_steps(plan);
    carry_out(p, plan, &plan->bulk.tiles, plan->unit, plan->memory, run_bulk);
}
