/* The kernels of wl_permute in plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "permute_machine_parts.h"
#include "permuted_source.h"

uint64_t elements_of(const struct problem *p) {
    uint64_t n = 1;
    for (unsigned i = 0; i < p->rank; i++)
        n *= p->sizes[i];
    return n;
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

uint32_t machine_divide(uint32_t n, const struct wl_permute_divisor *by) {
    uint32_t quotient = (uint32_t)(((uint64_t)n * by->magic) >> 32) >> by->shift;
    assert_int_equal(quotient, n / by->count);
    return quotient;
}

unsigned machine_tile(const struct wl_permute_tiles *p, uint32_t tile, uint64_t *in, uint64_t *out,
                      uint32_t *row) {
    unsigned ends = 3;
    *in = p->from;
    *out = p->to;
    *row = 0;
    for (uint32_t i = 0; i < p->digits; i++) {
        const struct wl_permute_digit *digit = &p->digit[i];
        uint32_t rest = machine_divide(tile, &digit->by), place = tile - rest * digit->by.count;
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
        unsigned ends = machine_tile(p, p->tiles + k, &in, &out, &row);
        assert_int_equal(ends, machine_tile(p, k, &first_in, &first_out, &first_row));
        assert_true(in == first_in && out == first_out && row == first_row);
    }
}

static int64_t thread_place(const struct wl_permute_side *side, uint32_t thread, uint64_t *shared,
                            uint64_t *global) {
    int64_t begin = 0;
    *shared = *global = 0;
    for (uint32_t i = 0; i < side->parts; i++) {
        uint32_t rest = machine_divide(thread, &side->part[i].by),
                 place = thread - rest * side->part[i].by.count;
        *shared += (uint64_t)place * side->part[i].shared;
        *global += place * side->part[i].global;
        begin += (int64_t)place * side->part[i].begin;
        thread = rest;
    }
    return begin;
}

uint8_t *machine_array(const struct machine *m, uint8_t *array, uint64_t address, uint64_t base,
                       unsigned width) {
    if (address % width || address < base || address + width > base + m->bytes)
        fail_msg("%s: an access of %u bytes at %lld of %llu", m->what, width, (long long)(address - base),
                 (unsigned long long)m->bytes);
    return array + (address - base);
}

uint8_t *machine_memory(const struct machine *m, uint64_t at, unsigned width) {
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
                uint8_t *kept = machine_memory(m, at + j * side->step, plan->width);
                if (loads)
                    memcpy(kept, machine_array(m, m->from, element, m->from_address, plan->width),
                           plan->width);
                else
                    memcpy(machine_array(m, m->to, element, m->to_address, plan->width), kept, plan->width);
            }
        }
    }
}

static void run_tile(const struct machine *m, const void *any, uint32_t tile) {
    const struct wl__permute_plan *plan = any;
    uint64_t in_tile, out_tile;
    uint32_t row;
    unsigned ends = machine_tile(&plan->sides.tiles, tile, &in_tile, &out_tile, &row);
    memset(m->memory, 0xEE, m->memory_bytes);
    run_side(m, plan, in_tile, &plan->sides.in, plan->in_shifted, true, 3);
    run_side(m, plan, out_tile, &plan->sides.out, plan->out_shifted, false, ends);
}

/* ---------------------------------------------------------------- the kernel of asynchronous loads */

/* The place of a vector or a part of one in the tile's memory: within its 128 bytes. */
static uint8_t *turned(const struct machine *m, const struct wl_permute_sides *p, uint64_t at,
                       unsigned width) {
    return machine_memory(m, at ^ (at >> p->turn & (WL_PERMUTE_LINE - WL_PERMUTE_ACCESS)), width);
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
            memcpy(turned(m, p, at, 16), machine_array(m, m->from, from, m->from_address, 16), 16);
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
            memcpy(machine_array(m, m->to, to + column * p->column, m->to_address, 16) + i * width,
                   read + column * width, width);
        }
}

static void run_async(const struct machine *m, const void *any, uint32_t tile) {
    const struct wl__permute_plan *plan = any;
    const struct wl_permute_sides *p = &plan->sides;
    uint64_t in_tile, out_tile;
    uint32_t row;
    machine_tile(&p->tiles, tile, &in_tile, &out_tile, &row);
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

void machine_carry_out(const struct problem *p, const void *plan, const struct wl_permute_tiles *tiles,
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
        if (memcmp(m.to + i * p->width, m.from + permuted_source(p->rank, p->sizes, p->order, i) * p->width,
                   p->width))
            fail_msg("%s: element %llu", what, (unsigned long long)i);
    free(m.from);
    free(m.to);
    free(m.memory);
}

void carry_out_tiles(const struct problem *p, const struct wl__permute_plan *plan) {
    machine_carry_out(p, plan, &plan->sides.tiles, plan->width, plan->memory, run_tile);
}

void carry_out_async(const struct problem *p, const struct wl__permute_plan *plan) {
    assert_true(plan->is_async);
    assert_in_range(plan->threads, 1, 256);
    assert_in_range(plan->passes, 1, WL_PERMUTE_PASSES);
    machine_carry_out(p, plan, &plan->sides.tiles, plan->width, plan->memory, run_async);
}
