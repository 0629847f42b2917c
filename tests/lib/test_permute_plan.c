/* Plans of permutations: every planned problem gives the right result when executed (permute_machine.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/permute/permute_batch.h"
#include "lib/permute/permute_movers.h"
#include "permute_machine.h"

/* Builds with sanitizers take several times as long for a case. */
#ifdef __SANITIZE_ADDRESS__
#define CASES(n) ((n) / 8)
#else
#define CASES(n) (n)
#endif

/* ---------------------------------------------------------------- problems */

static uint32_t state = 1;
static const struct wl__tuned_permute *tuned;

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
    /* Rows that become elements, rows that become several, and rows that gain nothing. */
    reduced(&(struct problem){2, 3, {3, 5, 4}, {1, 0, 2}}, 8, 2, SIZES(5, 3), ORDER(1, 0));
    reduced(&(struct problem){2, 3, {3, 5, 24}, {1, 0, 2}}, 16, 3, SIZES(3, 5, 3), ORDER(0, 2, 1));
    reduced(&(struct problem){2, 3, {3, 5, 7}, {1, 0, 2}}, 2, 3, SIZES(7, 5, 3), ORDER(0, 2, 1));
    /* Sizes of 1 neither separate neighbours nor join others. */
    reduced(&(struct problem){1, 4, {3, 1, 5, 7}, {2, 0, 1, 3}}, 1, 3, SIZES(7, 5, 3), ORDER(0, 2, 1));
    reduced(&(struct problem){1, 4, {3, 1, 5, 7}, {0, 2, 1, 3}}, 1, 1, SIZES(105), ORDER(0));
}

/* Elements grow with the rows only if both addresses allow it. */
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

/* A problem with addresses of any alignment, and its reduced form. */
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
    for (unsigned i = 0; i < CASES(6000); i++) {
        struct drawn drawn = draw(30000);
        const struct wl__permute_shape shape = drawn.shape;
        if (shape.rank < 2)
            continue;
        struct wl__permute_aim aim = {{0}, 40000, 32u << pick(5), 1 + pick(WL__PERMUTE_HELD)};
        wl__permute_extents(aim.extent, &shape, 32u << pick(5), 32u << pick(5));
        struct wl__permute_plan plan = {.sides = {.tiles = {.to = drawn.to, .from = drawn.from}}};
        if (wl__permute_tile(tuned, &plan, &shape, &aim)) {
            planned++;
            carry_out_tiles(&drawn.p, &plan);
        }
    }
    assert_in_range(planned, CASES(1500), CASES(6000));
}

/* Half of the sizes are multiples of 16 bytes; tiles have any extents. */
static void async_tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < CASES(12000); i++) {
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
        if (!wl__permute_async(tuned, &plan, &shape, extent))
            continue;
        planned++;
        carry_out_async(&p, &plan);
    }
    assert_in_range(planned, CASES(800), CASES(12000));
}

/* Tiles of any extents. */
static void bulk_tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < CASES(6000); i++) {
        struct drawn drawn = draw(30000);
        const struct wl__permute_shape shape = drawn.shape;
        uint64_t extent[WL_RANK_MAX];
        for (unsigned d = 0; d < shape.rank; d++)
            extent[d] = pick(2) ? shape.dim[d].size : 1 + pick((uint32_t)shape.dim[d].size);
        struct wl__permute_bulk_plan plan;
        if (shape.rank < 2 || !wl__permute_bulk(tuned, &plan, &shape, 1, extent, drawn.to, drawn.from))
            continue;
        planned++;
        carry_out_bulk(&drawn.p, &plan);
    }
    assert_in_range(planned, CASES(1000), CASES(6000));
}

/* Tiles that treat dimensions of the output as one. */
static void joined_tiles_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0;
    for (unsigned i = 0; i < CASES(20000); i++) {
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
        if (!wl__permute_bulk(tuned, &plan, &shape, joined, extent, drawn.to, drawn.from))
            continue;
        planned++;
        carry_out_bulk(&drawn.p, &plan);
    }
    assert_in_range(planned, CASES(500), CASES(20000));
}

/* Three dimensions of whole lines in reverse order: joined rows in streams; fewer tiles than a stream has and
 * more, even and odd. */
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
            assert_true(wl__permute_plan_bulk(tuned, &plan, &shape, to, from, false));
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

/* Whether bulk copies' tiles are planned for a problem whose input begins at this address. */
static bool plans_at(struct wl__permute_bulk_plan *plan, const struct problem *p, uint64_t to,
                     uint64_t from) {
    struct wl__permute_shape shape;
    wl__permute_reduce(&shape, p->width, to, from, p->rank, p->sizes, p->order);
    return wl__permute_plan_bulk(tuned, plan, &shape, to, from, true);
}

static bool plans(struct wl__permute_bulk_plan *plan, const struct problem *p, uint64_t from) {
    return plans_at(plan, p, 1ull << 40, from);
}

/* Rows of some bytes are packed in groups, where elements begin at multiples of what divides them. */
static void short_rows_are_packed(void **unused) {
    (void)unused;
    static const unsigned rows[] = {5, 7, 10, 28};
    struct wl__permute_bulk_plan plan;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const unsigned grain = rows[i] & -rows[i];
        const struct problem p = {1, 4, {192, 128, 64, rows[i]}, {2, 0, 1, 3}};
        assert_true(plans(&plan, &p, 4096));
        assert_int_equal(plan.element, rows[i]);
        carry_out_bulk(&p, &plan);
        assert_true(plans(&plan, &p, 4096 + grain));
        assert_int_equal(plan.element, rows[i]);
        if (grain > 1 && plans(&plan, &p, 4096 + grain / 2))
            assert_int_equal(plan.element, 0);
    }
    /* Of few rows, what is read past the last column lies beyond the tables. */
    const struct problem few = {1, 4, {34, 3, 24, 10}, {0, 2, 1, 3}};
    for (unsigned shift = 0; shift < 32; shift += 2) {
        assert_true(plans(&plan, &few, 4096 + shift));
        assert_int_equal(plan.element, 10);
        carry_out_bulk(&few, &plan);
    }
    assert_true(plans(&plan, &(struct problem){1, 4, {192, 128, 64, 9}, {2, 0, 1, 3}}, 4096));
    assert_int_equal(plan.element, 0);
}

/* Tiles of joined dimensions come in groups; few are moved twice. */
static void few_tiles_are_moved_twice(void **unused) {
    (void)unused;
    const struct wl__tuned_order *order = &tuned->order;
    for (uint64_t tiles = 1; tiles < 5000; tiles++) {
        const uint64_t all = wl__permute_joined_tiles(order, tiles);
        assert_in_range(all, tiles, tiles + (tiles > 64 ? tiles / 64 : tiles > 10 ? 1 : 0));
    }
    assert_int_equal(wl__permute_joined_tiles(order, 640), 640);
    assert_int_equal(wl__permute_joined_tiles(order, 641), 644); /* in fours: three more cost less */
    /* Six by four tiles in 53 reversed matrices. */
    struct wl__permute_bulk_plan plan;
    assert_true(plans(&plan, &(struct problem){1, 4, {53, 83, 13, 647}, {0, 3, 2, 1}}, 4096));
    assert_int_equal(plan.bulk.tiles.tiles, 53 * 6 * 4);
    assert_true(plan.bulk.joined_parts > 0);
    /* The estimate counts those that are: else 456 tiles would be the choice. */
    assert_true(plans(&plan, &(struct problem){2, 4, {55, 38, 83, 49}, {1, 3, 0, 2}}, 4096));
    assert_int_equal(plan.bulk.tiles.tiles, 532);
}

/* Where a tile needs less of a dimension than whole sectors, tiles that take less are considered, too. */
static void fine_tiles_are_considered(void **unused) {
    (void)unused;
    struct wl__permute_bulk_plan plan;
    assert_true(plans(&plan, &(struct problem){1, 4, {64, 128, 64, 123}, {2, 1, 3, 0}}, 4096));
    assert_in_range(plan.extent[1], 2, 31);
    assert_int_equal(plan.extent[0], 123);
}

/* Runs of records along two dimensions overlap where they end within sectors, and look-ups are shared by as
 * many columns as leave all warps as much to do. */
static void records_share(void **unused) {
    (void)unused;
    struct wl__permute_bulk_plan plan;
    assert_true(plans(&plan, &(struct problem){1, 5, {9, 16, 10, 85, 20}, {3, 1, 2, 4, 0}}, 4096));
    assert_int_equal(plan.bulk.wraps, 0);
    unsigned overlap = 0;
    for (unsigned d = 0; d < 4; d++)
        overlap += plan.step[d] < plan.extent[d];
    assert_int_equal(overlap, 1);
    assert_true(plans(&plan, &(struct problem){1, 5, {8, 128, 96, 4, 4}, {2, 0, 1, 4, 3}}, 4096));
    assert_int_equal(plan.bulk.wraps, 0);
    assert_int_equal(plan.bulk.cells % (plan.threads / 32), 0);
    /* A tile has several even of large ones. */
    assert_true(plans(&plan, &(struct problem){2, 6, {29, 47, 4, 13, 7, 4}, {1, 0, 4, 2, 5, 3}}, 4096));
    assert_int_equal(plan.bulk.turn.count, 4 * 13 * 7 * 4);
    assert_in_range(plan.bulk.columns, 8, 13);
}

/* Tiles of narrow elements are no smaller than what keeps enough in flight; rows of pairs may be one access,
 * wherever they begin. */
static void narrow_tiles_suit(void **unused) {
    (void)unused;
    struct wl__permute_bulk_plan plan;
    assert_true(plans(&plan, &(struct problem){2, 3, {811, 704, 32}, {2, 1, 0}}, 4096));
    assert_true(plan.memory > 24 << 10);
    const struct problem one_access = {2, 4, {32, 112, 585, 8}, {3, 1, 0, 2}};
    assert_true(plans(&plan, &one_access, 4096));
    assert_true(plans(&plan, &one_access, 4098));
    /* Bytes go by words there, if these are cheap, or in groups where runs begin alike. */
    assert_true(plans(&plan, &(struct problem){1, 4, {33, 111, 585, 16}, {3, 1, 0, 2}}, 4096));
    assert_true(plan.words);
    assert_true(plans(&plan, &(struct problem){1, 4, {32, 112, 585, 16}, {3, 1, 0, 2}}, 4096));
    assert_true(plan.groups);
    assert_false(plans(&plan, &(struct problem){1, 3, {5, 28201, 16}, {2, 1, 0}}, 4096));
    /* Eight rows side by side have a multiple of 16 bytes, and each begins at a multiple of 4. */
    const struct problem rows = {1, 3, {29, 8, 124}, {2, 1, 0}};
    assert_true(plans(&plan, &rows, 4096));
    assert_true(plan.words);
    carry_out_bulk(&rows, &plan);
    /* Five columns are too few for words: those of the next dimension come along. */
    assert_true(plans(&plan, &(struct problem){1, 5, {11, 6, 164, 37, 5}, {1, 4, 3, 0, 2}}, 4096));
    assert_true(plan.words);
    assert_int_equal(plan.bulk.inner.count, 5);
    assert_true(plan.bulk.columns > 5);
}

/* Columns go in groups where all runs of a tile begin alike within a vector, wherever the arrays begin; and
 * nowhere else. */
static void groups_need_runs_that_begin_alike(void **unused) {
    (void)unused;
    static const struct problem alike[] = {
        {1, 3, {288, 25, 161}, {2, 1, 0}},      {2, 3, {304, 40, 61}, {2, 1, 0}},
        {1, 4, {48, 16, 37, 47}, {1, 3, 2, 0}}, {1, 4, {16, 39, 33, 41}, {3, 2, 1, 0}},
        {1, 4, {16, 231, 7, 40}, {3, 2, 1, 0}}, {1, 5, {5, 5, 44, 4, 189}, {4, 1, 2, 0, 3}}};
    struct wl__permute_bulk_plan plan;
    for (unsigned i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
        const struct problem *p = &alike[i];
        unsigned groups = 0;
        for (unsigned shift = 0; shift < 32; shift += 4) {
            assert_true(plans_at(&plan, p, (1ull << 40) + shift, 4096 + 3 * shift + p->width));
            groups += plan.groups;
            carry_out_bulk(p, &plan);
        }
        assert_in_range(groups, 1, 8); /* ends of runs within sectors cost groups more */
    }
    /* Words begin at multiples of 4 bytes where the array and all of its rows do. */
    assert_true(plans(&plan, &alike[4], 4096) && plan.bulk.even);
    assert_true(plans(&plan, &alike[4], 4098) && !plan.bulk.even);
    assert_true(plans(&plan, &alike[3], 4096) && !plan.bulk.even);
    assert_true(plans(&plan, &(struct problem){1, 3, {281, 25, 161}, {2, 1, 0}}, 4096));
    assert_false(plan.groups);
}

/* Large arrays have more blocks of small tiles, of fewer threads; rows are noted once where runs begin alike
 * within 4 bytes. */
static void small_tiles_have_many_blocks(void **unused) {
    (void)unused;
    static const struct {
        struct problem problem;
        unsigned blocks, tables;
    } of[] = {{{1, 4, {100646, 6, 256, 4}, {0, 3, 2, 1}}, 12, 1}, /* 7 KB */
              {{1, 4, {5000, 6, 256, 4}, {0, 3, 2, 1}}, 4, 1},    /* an array of 30 MB */
              {{2, 4, {17408, 11, 64, 7}, {0, 3, 2, 1}}, 12, 2},
              {{1, 6, {7, 8, 64, 1024, 8, 3}, {5, 0, 2, 4, 1, 3}}, 6, 1},
              {{1, 4, {5000, 20, 200, 5}, {0, 3, 2, 1}}, 8, 1},
              {{1, 3, {37, 262144, 6}, {2, 1, 0}}, 4, 4}};
    for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct wl__permute_bulk_plan plan;
        assert_true(plans(&plan, &of[i].problem, 4096));
        assert_false(plan.words || plan.groups || plan.element);
        assert_int_equal(plan.blocks, of[i].blocks);
        assert_int_equal(plan.blocks * plan.threads, WL_PERMUTE_BLOCKS * WL_PERMUTE_NARROW_THREADS);
        assert_in_range(plan.blocks * (plan.memory + 1024), 1, 228 << 10);
        assert_int_equal(plan.bulk.tables, of[i].tables);
    }
}

/* Columns lie along the dimension in which most share look-ups, of bytes and pairs; 4-byte elements of which
 * bulk copies have no other tile are looked up, and so are short rows of them. */
static void look_ups_are_shared(void **unused) {
    (void)unused;
    struct wl__permute_bulk_plan plan;
    for (unsigned width = 1; width <= 2; width++) {
        const struct problem p = {width, 3, {743, 80, 4}, {2, 1, 0}};
        assert_true(plans(&plan, &p, 4096 + width));
        assert_false(plan.words || plan.records);
        assert_int_equal(plan.bulk.columns, 80);
        assert_int_equal(plan.bulk.column_in, 4 * width);
        carry_out_bulk(&p, &plan);
    }
    /* Runs become more by that. */
    const struct problem more = {2, 4, {11, 28, 23, 7}, {3, 1, 0, 2}},
                         rest = {1, 4, {5, 6, 228, 5}, {3, 1, 0, 2}};
    assert_true(plans(&plan, &more, 4096 + 38));
    carry_out_bulk(&more, &plan);
    assert_true(plans(&plan, &rest, 4096 + 6));
    carry_out_bulk(&rest, &plan);
    const struct problem nested = {4, 6, {4, 6, 7, 32, 64, 3}, {0, 4, 1, 3, 5, 2}};
    assert_true(plans(&plan, &nested, 4096 + 4));
    assert_true(plan.narrow && plan.records);
    assert_int_equal(plan.unit, 4);
    carry_out_bulk(&nested, &plan);
    const struct problem rows = {4, 3, {88, 165, 5}, {1, 0, 2}};
    assert_true(plans(&plan, &rows, 4096));
    assert_true(plan.narrow && !plan.element);
    assert_int_equal(plan.unit, 4);
    assert_int_equal(plan.bulk.units, 5);
    carry_out_bulk(&rows, &plan);
}

/* Bytes of the output between a warp's first lanes and their neighbours, in an asynchronous plan of a problem
 * of 4-byte elements. */
static uint64_t between_lanes(unsigned rank, const uint64_t *sizes, const unsigned *order) {
    const uint64_t to = 1ull << 40, from = 4096;
    struct wl__permute_shape shape;
    struct wl__permute_plan plan;
    wl__permute_reduce(&shape, 4, to, from, rank, sizes, order);
    assert_true(wl__permute_plan_async(tuned, &plan, &shape, to, from));
    /* One that is a row's first axis lies behind the vectors of a row of the output, if it has several. */
    const struct wl_permute_side *out = &plan.sides.out;
    const bool several = plan.extent[shape.by_out[0]] > 4;
    return out->part[several].global;
}

/* Rows of the output of up to three vectors that lie side by side along a row of the input: lanes follow
 * them, not what lies behind. */
static void lanes_store_neighbours(void **unused) {
    (void)unused;
    assert_int_equal(
        between_lanes(6, (const uint64_t[]){16, 8, 4, 3, 64, 15}, (const unsigned[]){1, 4, 3, 0, 5, 2}), 16);
    assert_int_equal(
        between_lanes(6, (const uint64_t[]){12, 14, 20, 64, 3, 5}, (const unsigned[]){4, 2, 1, 3, 5, 0}), 48);
    assert_int_not_equal(
        between_lanes(6, (const uint64_t[]){16, 14, 20, 64, 3, 5}, (const unsigned[]){4, 2, 1, 3, 5, 0}), 64);
}

/* The choices that the library would make. */
static void choices_are_right(void **unused) {
    (void)unused;
    unsigned planned = 0, records = 0, along_two = 0, turned = 0, units = 0, groups = 0;
    for (unsigned i = 0; i < CASES(3000); i++) {
        struct drawn drawn = draw(60000);
        const struct wl__permute_shape shape = drawn.shape;
        if (shape.rank < 2)
            continue;
        struct wl__permute_plan plan;
        if (wl__permute_plan_async(tuned, &plan, &shape, drawn.to, drawn.from))
            carry_out_async(&drawn.p, &plan);
        assert_true(wl__permute_plan_tiles(tuned, &plan, &shape, drawn.to, drawn.from));
        assert_in_range(plan.memory, 1, 48 * 1024);
        assert_in_range(plan.passes, 1, WL__PERMUTE_HELD);
        assert_in_range(plan.threads, 1,
                        plan.passes <= 6 && (shape.width == 4 || shape.width == 8) ? 512 : 256);
        carry_out_tiles(&drawn.p, &plan);
        planned++;
        struct wl__permute_bulk_plan bulk;
        if (wl__permute_plan_bulk(tuned, &bulk, &shape, drawn.to, drawn.from,
                                  plan.in_shifted || plan.out_shifted)) {
            carry_out_bulk(&drawn.p, &bulk);
            const bool looks_up = bulk.narrow && !bulk.words && !bulk.groups && !bulk.element,
                       apart = bulk.bulk.column_in > bulk.bulk.units * bulk.unit;
            records += looks_up && bulk.records && apart;
            along_two += looks_up && bulk.records && apart && !bulk.bulk.wraps;
            turned += looks_up && !bulk.records && apart;
            units += looks_up && bulk.unit == 4;
            groups += bulk.groups;
        }
    }
    assert_in_range(planned, CASES(1500), CASES(3000));
    assert_in_range(records, CASES(3000) / 20, CASES(3000));
    assert_in_range(along_two, CASES(3000) / 500, CASES(3000));
    assert_in_range(turned, CASES(3000) / 1000, CASES(3000));
    assert_in_range(units, CASES(3000) / 500, CASES(3000));
    assert_in_range(groups, CASES(3000) / 500, CASES(3000));
}

/* As a batch of transposes: the layout, the other dimensions in the output's order, and as many blocks as a
 * launch may have. */
static void batches(void **unused) {
    (void)unused;
    struct wl__permute_shape shape;
    wl_transpose_layout l;
    struct wl__digits digits;
    wl__permute_reduce(&shape, 2, 0, 0, 5, (const uint64_t[]){3, 5, 7, 11, 13},
                       (const unsigned[]){2, 0, 4, 3, 1});
    assert_true(wl__permute_as_batch(&shape, &l, &digits));
    assert_true(l.rows == 5 && l.cols == 13 && l.from_ld == 7 * 11 * 13 && l.to_ld == 11 * 5);
    assert_true(l.batch == 3 * 7 * 11 && l.from_stride == 11 * 13 && l.to_stride == 3 * 13 * 11 * 5);
    assert_int_equal(digits.count, 2);
    assert_true(digits.digit[0].size == 11 && digits.digit[0].from == 13 && digits.digit[0].to == 5);
    assert_true(digits.digit[1].size == 3 && digits.digit[1].from == 5 * 7 * 11 * 13 &&
                digits.digit[1].to == 13 * 11 * 5);
    wl__permute_reduce(&shape, 2, 0, 0, 3, (const uint64_t[]){3, 5, 7}, (const unsigned[]){1, 0, 2});
    assert_false(wl__permute_as_batch(&shape, &l, &digits));
    /* Eight blocks a matrix, of 64 rows of 4: in less than 2^31, and in as many. */
    const uint64_t many = UINT64_C(1) << 28;
    const unsigned reversed[] = {3, 2, 1, 0};
    wl__permute_reduce(&shape, 1, 0, 0, 4, (const uint64_t[]){64, (many - 1) / 3, 3, 4}, reversed);
    assert_true(wl__permute_as_batch(&shape, &l, &digits) && l.batch == many - 1);
    wl__permute_reduce(&shape, 1, 0, 0, 4, (const uint64_t[]){64, many / 2, 2, 4}, reversed);
    assert_false(wl__permute_as_batch(&shape, &l, &digits));
    wl__permute_reduce(&shape, 1, 0, 0, 4, (const uint64_t[]){many, many, 2, 64}, reversed);
    assert_false(wl__permute_as_batch(&shape, &l, &digits));
    /* A batch of one dimension may have several launches; without one, the distances are a matrix's. */
    wl__permute_reduce(&shape, 1, 0, 0, 3, (const uint64_t[]){64, many, 4}, (const unsigned[]){2, 1, 0});
    assert_true(wl__permute_as_batch(&shape, &l, &digits) && digits.count == 0);
    wl__permute_reduce(&shape, 1, 0, 0, 2, (const uint64_t[]){5, 7}, (const unsigned[]){1, 0});
    assert_true(wl__permute_as_batch(&shape, &l, &digits) && digits.count == 0);
    assert_true(l.batch == 1 && l.from_stride == 35 && l.to_stride == 35);
    /* A few streams, of 2^30 vectors and of 2^31. */
    const unsigned order[] = {2, 1, 3, 0};
    wl__permute_reduce(&shape, 1, 0, 0, 4, (const uint64_t[]){4, 1 << 11, 1 << 15, 64}, order);
    assert_true(wl__permute_can_few(&shape, 0, 0));
    wl__permute_reduce(&shape, 1, 0, 0, 4, (const uint64_t[]){4, 1 << 12, 1 << 15, 64}, order);
    assert_false(wl__permute_can_few(&shape, 0, 0));
}

int main(void) {
    tuned = &wl__tuned_for(90)->permute;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches),
        cmocka_unit_test(reduces),
        cmocka_unit_test(widens_by_address),
        cmocka_unit_test(tiles_are_right),
        cmocka_unit_test(async_tiles_are_right),
        cmocka_unit_test(bulk_tiles_are_right),
        cmocka_unit_test(joined_tiles_are_right),
        cmocka_unit_test(streams_are_right),
        cmocka_unit_test(short_rows_are_packed),
        cmocka_unit_test(few_tiles_are_moved_twice),
        cmocka_unit_test(fine_tiles_are_considered),
        cmocka_unit_test(records_share),
        cmocka_unit_test(narrow_tiles_suit),
        cmocka_unit_test(groups_need_runs_that_begin_alike),
        cmocka_unit_test(small_tiles_have_many_blocks),
        cmocka_unit_test(look_ups_are_shared),
        cmocka_unit_test(lanes_store_neighbours),
        cmocka_unit_test(choices_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
