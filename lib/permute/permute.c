/* wl_permute: dimensions in any order. */
#include <stdbool.h>

#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/copy/rows.h"
#include "lib/error.h"
#include "lib/launch.h"
#include "lib/permute/permute_bulk.h"
#include "lib/permute/permute_plan.h"
#include "lib/permute/permute_strips.h"

static const char call[] = "wl_permute";

/* To plan takes 5 to 600 us, and programs call again with what they called with: a thread keeps its last
 * plans, each of which hangs on the shape, on how far the addresses are from whole lines, and on what the
 * device can do. */
#define KEPT 8

struct kept {
    struct wl__permute_shape shape; /* rank 0: none */
    uint64_t to, from;
    unsigned capability; /* the device's */
    bool is_bulk;        /* the plan */
    union {
        struct wl__permute_plan tiles;
        struct wl__permute_bulk_plan bulk;
    } plan;
};

/* A problem that the checks have passed. */
struct problem {
    wl_context *context;
    wl_devptr to, from;
    wl_stream stream;
    struct wl__permute_shape shape;
    struct kept *kept; /* of the strategies that have a plan */
    struct wl__permute_strips_plan strips;
};

/* ---------------------------------------------------------------- the strategies */

/* The bytes keep their order. */
static bool is_copy(struct problem *p) {
    return p->shape.rank <= 1;
}

static wl_error copy(struct problem *p) {
    uint64_t bytes = p->shape.width * (p->shape.rank ? p->shape.dim[0].size : 1);
    return wl_copy(p->context, p->to, p->from, bytes, p->stream);
}

/* Two dimensions change places, within each of a third or not. */
static bool is_transpose(struct problem *p) {
    const struct wl__permute_shape *shape = &p->shape;
    return shape->rank > 1 && shape->by_out[0] == 1 &&
           !(wl__has_bulk(p->context) && wl__permute_is_near(shape, p->to, p->from)) &&
           (shape->rank == 2 || (shape->rank == 3 && shape->by_out[2] == 2));
}

static wl_error transpose(struct problem *p) {
    const struct wl__permute_shape *shape = &p->shape;
    const wl_transpose_layout layout = {.rows = shape->dim[1].size,
                                        .cols = shape->dim[0].size,
                                        .batch = shape->rank == 3 ? shape->dim[2].size : 1};
    return wl_transpose_batched(p->context, shape->width, p->to, p->from, &layout, p->stream);
}

/* Rows that begin anywhere move, through tiles of them. */
static bool has_strips(struct problem *p) {
    const struct wl__permute_shape *shape = &p->shape;
    return shape->by_out[0] == 0 && wl__has_bulk(p->context) &&
           wl__permute_plan_strips(&p->strips, shape, p->to, p->from);
}

/* Whole rows move.  Of narrow elements tiles are the slower ones for all but the shortest rows, which are for
 * tiles that take a row as an element. */
static bool has_rows(struct problem *p) {
    const struct wl__permute_shape *shape = &p->shape;
    uint64_t bytes = shape->dim[0].size * shape->width;
    return shape->by_out[0] == 0 && bytes >= (shape->width > 2 ? 128 : WL_SEAMS_LEAST);
}

static wl_error rows(struct problem *p) {
    const struct wl__permute_shape *shape = &p->shape;
    struct wl__rows rows = {.to = p->to,
                            .from = p->from,
                            .row_bytes = shape->dim[0].size * shape->width,
                            .rank = shape->rank - 1};
    for (unsigned i = 1; i < shape->rank; i++) {
        unsigned d = shape->by_out[i];
        rows.outer[i - 1] = (struct wl__rows_dimension){shape->dim[d].size, shape->dim[d].out * shape->width,
                                                        shape->dim[d].in * shape->width};
    }
    return wl__rows_launch(p->context, wl__rows_way(&rows), &rows, p->stream);
}

static bool same_shape(const struct wl__permute_shape *a, const struct wl__permute_shape *b) {
    bool same = a->width == b->width && a->rank == b->rank;
    for (unsigned d = 0; same && d < a->rank; d++)
        same = a->dim[d].size == b->dim[d].size && a->by_out[d] == b->by_out[d];
    return same;
}

static bool serves(const struct kept *kept, const struct problem *p) {
    return same_shape(&kept->shape, &p->shape) && (kept->to - p->to) % WL_PERMUTE_LINE == 0 &&
           (kept->from - p->from) % WL_PERMUTE_LINE == 0 && kept->capability == p->context->capability;
}

static wl__kernel bulk_kernel(const struct wl__permute_bulk_plan *plan) {
    bool wraps = plan->bulk.turn.count < plan->bulk.length;
    return plan->unit == 1   ? WL_KERNEL_permute_narrow1
           : plan->unit == 2 ? WL_KERNEL_permute_narrow2
           : plan->unit == 4 ? wraps ? WL_KERNEL_permute_bulk4_1 : WL_KERNEL_permute_bulk4_0
           : wraps           ? WL_KERNEL_permute_bulk8_1
                             : WL_KERNEL_permute_bulk8_0;
}

static const wl__kernel async_kernels[] = {WL_KERNEL_permute_async1, WL_KERNEL_permute_async2,
                                           WL_KERNEL_permute_async4, WL_KERNEL_permute_async8};

static bool plan(struct problem *p) {
    static _Thread_local struct kept all[KEPT];
    static _Thread_local unsigned oldest;
    for (unsigned i = 0; i < KEPT && !WL_MASKING; i++)
        if (serves(&all[i], p)) {
            p->kept = &all[i];
            return true;
        }
    struct kept *kept = p->kept = &all[oldest];
    kept->shape.rank = 0;
    kept->capability = p->context->capability;
    struct wl__permute_bulk_plan bulk;
    /* Short rows that stay together are for bulk's tiles, and to plan others takes milliseconds. */
    kept->is_bulk = wl__has_bulk(p->context) && p->shape.by_out[0] == 0 &&
                    wl__permute_plan_bulk(&bulk, &p->shape, p->to, p->from, true) &&
                    !WL_MASKED(bulk_kernel(&bulk));
    if (!kept->is_bulk) {
        struct wl__permute_plan *tiles = &kept->plan.tiles;
        bool is_async = wl__has_async(p->context) &&
                        wl__permute_plan_async(tiles, &p->shape, p->to, p->from) &&
                        !WL_MASKED(async_kernels[__builtin_ctz(tiles->width)]);
        if (!is_async && !wl__permute_plan_tiles(tiles, &p->shape, p->to, p->from))
            return false;
        kept->is_bulk = wl__has_bulk(p->context) && (!is_async || wl__permute_is_slow(tiles, &p->shape)) &&
                        wl__permute_plan_bulk(&bulk, &p->shape, p->to, p->from,
                                              tiles->in_shifted || tiles->out_shifted) &&
                        !WL_MASKED(bulk_kernel(&bulk));
    }
    if (kept->is_bulk)
        kept->plan.bulk = bulk;
    kept->shape = p->shape;
    kept->to = p->to;
    kept->from = p->from;
    oldest = (oldest + 1) % KEPT;
    return true;
}

static bool has_bulk(struct problem *p) {
    return plan(p) && p->kept->is_bulk;
}

static wl_error launch(struct problem *p, wl__kernel kernel, struct wl_permute_tiles *tiles, void *parameters,
                       unsigned cluster, unsigned threads, unsigned memory) {
    void *arguments[] = {parameters};
    tiles->to = p->to;
    tiles->from = p->from;
    /* Blocks past the last tile do the first ones again: the number's highest digit is taken without rest. */
    return wl__launch_clusters(p->context, kernel, tiles->tiles, cluster, threads, memory, arguments,
                               p->stream);
}

static wl_error strips(struct problem *p) {
    struct wl__permute_strips_plan *plan = &p->strips;
    return launch(p, WL_KERNEL_permute_strips, &plan->strips.tiles, &plan->strips, plan->cluster,
                  plan->threads, plan->memory);
}

static wl_error bulk(struct problem *p) {
    struct wl__permute_bulk_plan *plan = &p->kept->plan.bulk;
    return launch(p, bulk_kernel(plan), &plan->bulk.tiles, &plan->bulk, plan->cluster, plan->threads,
                  plan->memory);
}

static bool has_async(struct problem *p) {
    return plan(p) && !p->kept->is_bulk && p->kept->plan.tiles.is_async;
}

static wl_error async(struct problem *p) {
    struct wl__permute_plan *plan = &p->kept->plan.tiles;
    uint32_t memory = plan->blocks ? wl__shared_for(p->context, plan->blocks, plan->memory) : plan->memory;
    const wl__kernel kernel = async_kernels[__builtin_ctz(plan->width)];
    return launch(p, kernel, &plan->sides.tiles, &plan->sides, plan->cluster, plan->threads, memory);
}

static bool has_tiles(struct problem *p) {
    return plan(p) && !p->kept->is_bulk && !p->kept->plan.tiles.is_async;
}

/* Kernels of tiles, by width: of rows that begin at vectors in both arrays, or anywhere; of up to 6 and 8
 * accesses a thread, as the fewer it has registers for, the more blocks a multiprocessor holds.  Those of
 * blocks of 512 threads. */
#define PASSES(kernel)                                                                                       \
    { WL_KERNEL_##kernel##_6, WL_KERNEL_##kernel##_8 }
#define ROWS(kernel)                                                                                         \
    { PASSES(kernel##_whole), PASSES(kernel##_both) }
static const wl__kernel tile_kernels[5][2][2] = {ROWS(permute_tile1),
                                                 ROWS(permute_tile2),
                                                 ROWS(permute_tile4),
                                                 ROWS(permute_tile8),
                                                 {PASSES(permute_tile16_whole)}};
static const wl__kernel wide_kernels[5] = {
    [2] = WL_KERNEL_permute_tile4_both_wide, [3] = WL_KERNEL_permute_tile8_both_wide};

static wl__kernel tile_kernel(const struct wl__permute_plan *plan) {
    const unsigned width = (unsigned)__builtin_ctz(plan->width);
    if (plan->threads > WL__PERMUTE_THREADS)
        return wide_kernels[width];
    /* Those that can do more do it too. */
    const wl__kernel(*of_width)[2] = tile_kernels[width];
    const unsigned passes = plan->passes > 6, shifted = plan->in_shifted || plan->out_shifted;
    for (unsigned rows = shifted; rows < (width < 4 ? 2 : 1); rows++)
        for (unsigned more = passes; more < 2; more++)
            if (!WL_MASKED(of_width[rows][more]))
                return of_width[rows][more];
    return of_width[shifted][passes];
}

static wl_error tiles(struct problem *p) {
    struct wl__permute_plan *plan = &p->kept->plan.tiles;
    return launch(p, tile_kernel(plan), &plan->sides.tiles, &plan->sides, plan->cluster, plan->threads,
                  plan->memory);
}

/* The first that fits. */
static const struct strategy {
    const char *name, *why;
    bool (*fits)(struct problem *p);
    wl_error (*run)(struct problem *p);
} strategies[] = {
    {"copy", "the order of the elements does not change", is_copy, copy},
    {"transpose", "two dimensions, or neighbours that act as two, change places", is_transpose, transpose},
    {"strips", "short rows that begin anywhere move: tiles of them, which bulk copies fill", has_strips,
     strips},
    {"rows", "the last dimension keeps its place: whole rows move", has_rows, rows},
    {"bulk", "rows or runs that begin anywhere: large tiles that bulk copies fill", has_bulk, bulk},
    {"async", "rows of both arrays at 16 bytes: large tiles that asynchronous loads fill", has_async, async},
    {"tiles", "tiles that are long in both arrays' last dimensions, through shared memory", has_tiles, tiles},
};

/* ---------------------------------------------------------------- the call */

static wl_error check_shape(unsigned rank, const uint64_t *sizes, const unsigned *order) {
    if (rank > WL_RANK_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: rank is %u: it must be 0 to %d", call, rank,
                        WL_RANK_MAX);
    if (rank && !sizes)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: sizes is NULL", call);
    if (rank && !order)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: order is NULL", call);
    unsigned seen = 0;
    for (unsigned i = 0; i < rank; i++) {
        if (order[i] >= rank || (seen & 1u << order[i]))
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: order[%u] is %u: order must hold each of 0 to %u once", call, i, order[i],
                            rank - 1);
        seen |= 1u << order[i];
    }
    return WL_ERROR_OK;
}

/* Of an array; 0 if any size is, however large the others are. */
static uint64_t bytes_of(unsigned width, unsigned rank, const uint64_t *sizes) {
    uint64_t bytes = width;
    for (unsigned i = 0; i < rank; i++) {
        if (sizes[i] == 0)
            return 0;
        bytes = wl__multiply(bytes, sizes[i]);
    }
    return bytes;
}

wl_error wl_permute(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, unsigned rank,
                    const uint64_t *sizes, const unsigned *order, wl_stream stream) {
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_width(call, width);
    if (!error)
        error = check_shape(rank, sizes, order);
    if (error)
        return error;
    uint64_t bytes = bytes_of(width, rank, sizes);
    struct wl__reach reach = {.context = context};
    const struct wl__array target = {"to", to, bytes}, source = {"from", from, bytes};
    error = wl__check_array(call, &reach, &target, width);
    if (!error)
        error = wl__check_array(call, &reach, &source, width);
    if (!error)
        error = wl__check_apart(call, &target, &source);
    if (error || bytes == 0)
        return error;

    struct problem problem;
    problem.context = context;
    problem.to = to;
    problem.from = from;
    problem.stream = stream;
    wl__permute_reduce(&problem.shape, width, to, from, rank, sizes, order);
    const struct strategy *strategy = strategies,
                          *end = strategies + sizeof(strategies) / sizeof(strategies[0]);
next:
    while (!strategy->fits(&problem))
        if (++strategy == end)
            return wl__fail(WL_ERROR_UNSUPPORTED, "%s: more than 2^31 tiles", call);
    const struct wl__choice choice = {
        call,
        strategy->name,
        strategy->why,
        {{"width", width}, {"rank", rank}, {"bytes", bytes}, {"merged rank", problem.shape.rank}}};
    wl__chose(context, &choice);
    wl__choice_hold();
    error = strategy->run(&problem);
    wl__choice_release();
    if (error == WL_ERROR_MASKED && ++strategy < end)
        goto next;
    return error;
}
