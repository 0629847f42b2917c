/* Plans of permutations, carried out in plain C as the kernels carry them out: every access within the arrays
 * and the tile's memory, at a multiple of its width, and every element in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/permute_bulk.h"
#include "lib/permute_plan.h"

/* ---------------------------------------------------------------- problems */

struct problem {
    unsigned width, rank;
    uint64_t sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
};

static uint64_t elements_of(const struct problem *p) {
    uint64_t n = 1;
    for (unsigned i = 0; i < p->rank; i++)
        n *= p->sizes[i];
    return n;
}

/* The input's index of the output's element i. */
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

static void describe(char *text, size_t bytes, const struct problem *p) {
    int used = snprintf(text, bytes, "width %u:", p->width);
    for (unsigned i = 0; i < p->rank; i++)
        used += snprintf(text + used, bytes - (size_t)used, " %llu", (unsigned long long)p->sizes[i]);
    used += snprintf(text + used, bytes - (size_t)used, " order");
    for (unsigned i = 0; i < p->rank; i++)
        used += snprintf(text + used, bytes - (size_t)used, " %u", p->order[i]);
}

static uint32_t state = 1;

static uint32_t pick(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static struct problem any_problem(uint64_t most) {
    struct problem p = {1u << pick(5), 1 + pick(WL_RANK_MAX), {0}, {0}};
    uint64_t n = 1;
    for (unsigned d = 0; d < p.rank; d++) {
        uint64_t size = pick(4) == 0 ? 1 + pick(100) : 1 + pick(12);
        if (pick(3) == 0)
            size = (size + 7) / 8 * 8;
        if (n * size > most)
            size = 1;
        p.sizes[d] = size;
        p.order[d] = d;
        n *= size;
    }
    for (unsigned d = p.rank; d-- > 1;) {
        unsigned other = pick(d + 1), kept = p.order[d];
        p.order[d] = p.order[other];
        p.order[other] = kept;
    }
    return p;
}

/* ---------------------------------------------------------------- the kernels in plain C */

struct machine {
    const char *what;
    uint8_t *from, *to, *memory;
    uint64_t from_address, to_address; /* what the plan was told */
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

/* Blocks past the last, with which a grid is rounded up, do the first ones' tiles again. */
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

/* The elements of an access that begins at `address` and `begin` elements into a row: shifted down to a
 * multiple of its width, those of its row. */
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
            /* The neighbouring tile's. */
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

/* Where a vector or a part of one lies in the tile's memory: within its 128 bytes. */
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

/* A thread's accesses of one pass: words of rows, as many columns as a word has elements. */
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

/* Where a row of joined dimensions is loaded from, with how many of the rows after it; the rows before it in
 * its load. */
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

/* Fills the tile's memory; place: where each row lies. */
static void load_rows(const struct machine *m, const struct wl_permute_bulk *p, unsigned width, uint64_t tile,
                      uint32_t first, uint32_t *place) {
    unsigned vector = WL_PERMUTE_ACCESS / width;
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
        /* The window lies in the tile's memory, and no other load has written there. */
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

/* Unit i of a column's run, which may go on in the next columns. */
static void store_unit(const struct machine *m, const struct wl_permute_bulk *p, uint64_t to, uint32_t along,
                       const uint32_t *place, uint32_t column, uint32_t i) {
    uint32_t further = column + i / p->span.count, row = i % p->span.count / p->units;
    assert_true(further < p->columns && (p->wraps || further == column));
    memcpy(in_array(m, m->to, to + column * p->column_out + i * m->width, m->to_address, m->width),
           in_memory(m, place[row] + along + (further * p->units + i % p->units) * m->width, m->width),
           m->width);
}

/* The columns' runs: the sectors that begin in them and end in them, or in the tile; what is left at the
 * ends.
 */
static void store_columns(const struct machine *m, const struct wl_permute_bulk *p, uint32_t r, uint64_t to,
                          const uint32_t *place, unsigned ends) {
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
    uint32_t deep = 32 / p->lanes, kinds = p->columns < sector ? p->columns : sector;
    assert_true(p->kinds.count * deep >= kinds);
    for (uint32_t column = 0; column < p->columns; column++) {
        uint32_t before = (uint32_t)(-(to + column * p->column_out) % WL_PERMUTE_SECTOR / m->width);
        uint32_t length = p->wraps ? (p->columns - column) * p->span.count : p->span.count, i = before;
        for (; i + sector <= length && i < p->span.count; i += sector) {
            /* The lanes come so far, and the tables. */
            assert_true(p->along.count * p->lanes * WL_PERMUTE_ACCESS >= (i - before + sector) * m->width);
            assert_true(i + sector <= p->quarter * 16 / m->width);
            for (uint32_t j = 0; j < sector; j++)
                store_unit(m, p, to, along, place, column, i + j);
        }
        if (ends & 1 && (column == 0 || !p->wraps))
            for (uint32_t j = 0; j < before && j < length; j++)
                store_unit(m, p, to, along, place, column, j);
        if (ends & 2 && i < p->span.count)
            for (; i < length; i++)
                store_unit(m, p, to, along, place, column, i);
    }
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
    uint32_t tables =
        width < 4 ? p->rows / p->turn.count * (4 / width) * p->quarter * 32 / width : 4 * p->rows;
    assert_true(p->run_table + 16 * p->runs <= p->row_table && p->row_table + tables <= p->barrier &&
                p->barrier + 8 <= plan->memory);
    memset(m->memory, 0xEE, m->memory_bytes);
    load_rows(m, p, width, in_tile, first, place);
    if (width < 4) {
        assert_int_equal(p->cells, p->runs * p->kinds.count * p->along.count);
        for (uint32_t r = 0; r < p->runs; r++)
            store_columns(m, p, r, out_tile, place, ends);
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

static void carry_out_tiles(const struct problem *p, const struct wl__permute_plan *plan) {
    carry_out(p, plan, &plan->sides.tiles, plan->width, plan->memory, run_tile);
}

static void carry_out_async(const struct problem *p, const struct wl__permute_plan *plan) {
    assert_true(plan->is_async);
    assert_in_range(plan->threads, 1, 256);
    assert_in_range(plan->passes, 1, WL_PERMUTE_PASSES);
    carry_out(p, plan, &plan->sides.tiles, plan->width, plan->memory, run_async);
}

static void carry_out_bulk(const struct problem *p, const struct wl__permute_bulk_plan *plan) {
    assert_in_range(plan->memory, 1, 56 * 1024);
    carry_out(p, plan, &plan->bulk.tiles, plan->unit, plan->memory, run_bulk);
}

/* ---------------------------------------------------------------- tests */

static void reduced(const struct problem *p, unsigned width, unsigned rank, const uint64_t *sizes,
                    const unsigned *by_out) {
    char what[256];
    describe(what, sizeof(what), p);
    struct wl__permute_shape shape;
    wl__permute_reduce(&shape, p->width, 4096, 8192, p->rank, p->sizes, p->order);
    if (shape.width != width || shape.rank != rank)
        fail_msg("%s: width %u, rank %u", what, shape.width, shape.rank);
    for (unsigned d = 0; d < rank; d++)
        if (shape.dim[d].size != sizes[d] || shape.by_out[d] != by_out[d])
            fail_msg("%s: dimension %u", what, d);
}

/* Sizes and by_out: innermost first. */
static void reduces(void **unused) {
    (void)unused;
#define SIZES(...) (const uint64_t[]){__VA_ARGS__}
#define ORDER(...)                                                                                           \
    (const unsigned[]) {                                                                                     \
        __VA_ARGS__                                                                                          \
    }
    reduced(&(struct problem){4, 0, {0}, {0}}, 4, 0, NULL, NULL);
    reduced(&(struct problem){4, 3, {1, 1, 1}, {2, 0, 1}}, 4, 0, NULL, NULL);
    /* Nothing moves: one dimension, of 16-byte elements. */
    reduced(&(struct problem){2, 3, {3, 5, 8}, {0, 1, 2}}, 16, 1, SIZES(15), ORDER(0));
    reduced(&(struct problem){2, 4, {3, 1, 1, 8}, {2, 0, 1, 3}}, 16, 1, SIZES(3), ORDER(0));
    /* Transposes. */
    reduced(&(struct problem){4, 2, {3, 5}, {1, 0}}, 4, 2, SIZES(5, 3), ORDER(1, 0));
    reduced(&(struct problem){4, 4, {3, 2, 5, 7}, {2, 3, 0, 1}}, 4, 2, SIZES(35, 6), ORDER(1, 0));
    reduced(&(struct problem){2, 4, {9, 3, 5, 7}, {0, 2, 3, 1}}, 2, 3, SIZES(35, 3, 9), ORDER(1, 0, 2));
    reduced(&(struct problem){4, 5, {3, 1, 5, 1, 7}, {4, 3, 2, 1, 0}}, 4, 3, SIZES(7, 5, 3), ORDER(2, 1, 0));
    /* Rows that are elements, rows that are several, and those that are no better than they were. */
    reduced(&(struct problem){2, 3, {3, 5, 4}, {1, 0, 2}}, 8, 2, SIZES(5, 3), ORDER(1, 0));
    reduced(&(struct problem){2, 3, {3, 5, 24}, {1, 0, 2}}, 16, 3, SIZES(3, 5, 3), ORDER(0, 2, 1));
    reduced(&(struct problem){2, 3, {3, 5, 7}, {1, 0, 2}}, 2, 3, SIZES(7, 5, 3), ORDER(0, 2, 1));
    /* Sizes of 1 neither part neighbours nor join strangers. */
    reduced(&(struct problem){1, 4, {3, 1, 5, 7}, {2, 0, 1, 3}}, 1, 3, SIZES(7, 5, 3), ORDER(0, 2, 1));
    reduced(&(struct problem){1, 4, {3, 1, 5, 7}, {0, 2, 1, 3}}, 1, 1, SIZES(105), ORDER(0));
}

/* Elements grow with the rows only where both addresses let them. */
static void widens_by_address(void **unused) {
    (void)unused;
    const uint64_t sizes[] = {3, 5, 8};
    const unsigned order[] = {1, 0, 2};
    static const struct {
        uint64_t to, from;
        unsigned width;
        uint64_t inner;
    } rows[] = {
        {4096, 4096, 16, 5}, {4096 + 8, 4096, 8, 2}, {4096, 4096 + 4, 4, 4}, {4096 + 2, 4096 + 8, 2, 8}};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wl__permute_shape shape;
        wl__permute_reduce(&shape, 2, rows[i].to, rows[i].from, 3, sizes, order);
        assert_int_equal(shape.width, rows[i].width);
        assert_int_equal(shape.dim[0].size, rows[i].inner);
    }
}

/* A problem with addresses of any alignment, and what it is reduced to. */
struct drawn {
    struct problem p;
    uint64_t to, from;
    struct wl__permute_shape shape;
};

static struct drawn draw(uint64_t most) {
    struct drawn d = {.p = any_problem(most)};
    d.from = 4096 + pick(16) * d.p.width;
    d.to = (1ull << 40) + pick(16) * d.p.width;
    wl__permute_reduce(&d.shape, d.p.width, d.to, d.from, d.p.rank, d.p.sizes, d.p.order);
    return d;
}

static void tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < 6000; i++) {
        struct drawn drawn = draw(30000);
        const struct wl__permute_shape shape = drawn.shape;
        if (shape.rank < 2)
            continue;
        struct wl__permute_aim aim = {{0}, 40000, 32u << pick(5), 1 + pick(WL__PERMUTE_HELD)};
        wl__permute_extents(aim.extent, &shape, 32u << pick(5), 32u << pick(5));
        struct wl__permute_plan plan = {.sides = {.tiles = {.to = drawn.to, .from = drawn.from}}};
        if (wl__permute_tile(&plan, &shape, &aim)) {
            planned++;
            carry_out_tiles(&drawn.p, &plan);
        }
    }
    assert_in_range(planned, 1500, 6000);
}

/* Sizes that are multiples of 16 bytes as often as not, tiles of any extents. */
static void async_tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < 12000; i++) {
        struct problem p = any_problem(10000);
        unsigned vector = 16 / p.width;
        if (p.rank < 2 || p.order[p.rank - 1] == p.rank - 1)
            continue;
        for (unsigned d = 0; d < p.rank; d++)
            if (d == p.rank - 1 || d == p.order[p.rank - 1] ? pick(8) : pick(3) == 0)
                p.sizes[d] = (p.sizes[d] + vector - 1) / vector * vector;
        if (elements_of(&p) > 30000)
            continue;
        const uint64_t to = (1ull << 40) + 16 * pick(16), from = 4096 + 16 * pick(16);
        struct wl__permute_shape shape;
        wl__permute_reduce(&shape, p.width, to, from, p.rank, p.sizes, p.order);
        if (shape.rank < 2)
            continue;
        uint64_t extent[WL_RANK_MAX];
        for (unsigned d = 0; d < shape.rank; d++) {
            uint64_t size = shape.dim[d].size;
            extent[d] = pick(2) ? size : 1 + pick((uint32_t)size);
            if (pick(4) && size >= vector)
                extent[d] = extent[d] < vector ? vector : extent[d] / vector * vector;
        }
        struct wl__permute_plan plan = {.sides = {.tiles = {.to = to, .from = from}}};
        if (!wl__permute_async(&plan, &shape, extent))
            continue;
        planned++;
        carry_out_async(&p, &plan);
    }
    assert_in_range(planned, 800, 12000);
}

/* Tiles of any extents. */
static void bulk_tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < 6000; i++) {
        struct drawn drawn = draw(30000);
        const struct wl__permute_shape shape = drawn.shape;
        uint64_t extent[WL_RANK_MAX];
        for (unsigned d = 0; d < shape.rank; d++)
            extent[d] = pick(2) ? shape.dim[d].size : 1 + pick((uint32_t)shape.dim[d].size);
        struct wl__permute_bulk_plan plan;
        if (shape.rank < 2 || !wl__permute_bulk(&plan, &shape, 1, extent, drawn.to, drawn.from))
            continue;
        planned++;
        carry_out_bulk(&drawn.p, &plan);
    }
    assert_in_range(planned, 1000, 6000);
}

/* Tiles that take dimensions of the output as one. */
static void joined_tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct drawn drawn = draw(30000);
        const struct wl__permute_shape shape = drawn.shape;
        unsigned most = 0, joined = 2 + pick(3);
        uint64_t extent[WL_RANK_MAX], rows = 1;
        while (most < shape.rank && shape.by_out[most] != 0)
            most++;
        if (joined > most)
            continue;
        bool is[WL_RANK_MAX] = {false};
        for (unsigned k = 0; k < joined; k++) {
            is[shape.by_out[k]] = true;
            rows *= shape.dim[shape.by_out[k]].size;
        }
        unsigned kept = 0;
        for (unsigned d = 0; d < shape.rank; d++)
            if (!is[d])
                extent[kept++] = pick(2) ? shape.dim[d].size : 1 + pick((uint32_t)shape.dim[d].size);
        extent[kept] = 2 + pick((uint32_t)rows - 2);
        struct wl__permute_bulk_plan plan;
        if (!wl__permute_bulk(&plan, &shape, joined, extent, drawn.to, drawn.from))
            continue;
        planned++;
        carry_out_bulk(&drawn.p, &plan);
    }
    assert_in_range(planned, 500, 20000);
}

/* Three dimensions in reverse order, of whole lines: joined rows in streams, fewer tiles than make streams up
 * and more, even and not. */
static void streams_are_right(void **unused) {
    (void)unused;
    static const uint64_t outer[] = {128, 136, 264, 384}, middle[] = {2, 3, 5, 12, 13, 17, 49};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 7; k++) {
            const struct problem p = {4, 3, {outer[i], middle[k], i % 2 ? 192 : 128}, {2, 1, 0}};
            uint64_t to = (1ull << 40) + 32 * pick(8), from = 4096 + 128 * pick(4);
            struct wl__permute_shape shape;
            wl__permute_reduce(&shape, p.width, to, from, p.rank, p.sizes, p.order);
            struct wl__permute_bulk_plan plan;
            assert_true(wl__permute_plan_bulk(&plan, &shape, to, from, false));
            assert_int_equal(plan.extent[0], 64);
            assert_int_equal(plan.extent[1], 128);
            const struct wl_permute_tiles *tiles = &plan.bulk.tiles;
            if (outer[i] * middle[k] > 48 * 128) {
                assert_int_equal(tiles->digit[0].by.count, 3);
                assert_true(tiles->digit[0].row > tiles->digit[1].row);
            }
            carry_out_bulk(&p, &plan);
        }
}

/* What the library would do. */
static void choices_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < 3000; i++) {
        struct drawn drawn = draw(60000);
        const struct wl__permute_shape shape = drawn.shape;
        if (shape.rank < 2)
            continue;
        struct wl__permute_plan plan;
        if (wl__permute_plan_async(&plan, &shape, drawn.to, drawn.from))
            carry_out_async(&drawn.p, &plan);
        assert_true(wl__permute_plan_tiles(&plan, &shape, drawn.to, drawn.from));
        assert_in_range(plan.memory, 1, 48 * 1024);
        assert_in_range(plan.passes, 1, WL__PERMUTE_HELD);
        assert_in_range(plan.threads, 1,
                        plan.passes <= 6 && (shape.width == 4 || shape.width == 8) ? 512 : 256);
        carry_out_tiles(&drawn.p, &plan);
        planned++;
        struct wl__permute_bulk_plan bulk;
        if (wl__permute_plan_bulk(&bulk, &shape, drawn.to, drawn.from, plan.in_shifted || plan.out_shifted))
            carry_out_bulk(&drawn.p, &bulk);
    }
    assert_in_range(planned, 1500, 3000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduces),
        cmocka_unit_test(widens_by_address),
        cmocka_unit_test(tiles_are_right),
        cmocka_unit_test(async_tiles_are_right),
        cmocka_unit_test(bulk_tiles_are_right),
        cmocka_unit_test(joined_tiles_are_right),
        cmocka_unit_test(streams_are_right),
        cmocka_unit_test(choices_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
