/* How wl_permute moves elements: which kernel serves which shape. */
#include <stdbool.h>

#include "lib/error.h"
#include "lib/launch.h"
#include "lib/mover.h"
#include "lib/permute/permute_batch.h"
#include "lib/permute/permute_bulk.h"
#include "lib/permute/permute_matrices.h"
#include "lib/permute/permute_movers.h"
#include "lib/permute/permute_plan.h"
#include "lib/permute/permute_strips.h"
#include "lib/small/small.h"
#include "lib/transpose/transpose.h"

/* The plans made for a call. */
struct plans {
    enum {
        NONE,
        ASYNC,
        REGISTERS
    } tiled; /* the loads that `tiles` is planned for: asynchronous, or to registers */
    bool async_is_cheaper;
    struct wl__permute_plan *tiles;
    struct wl__permute_bulk_plan *bulk;
    struct wl__permute_strips_plan *strips;     /* 0 threads: none */
    struct wl__permute_matrices_plan *matrices; /* 0 bytes of memory: none yet */
};

/* A problem that has passed the checks. */
struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const struct wl__tuned_permute *tuned;
    wl_devptr to, from;
    struct wl__permute_shape shape;
    struct plans *plans;
};

static wl_error launch(const struct wl__problem *p, wl__kernel kernel, struct wl_permute_tiles *tiles,
                       void *parameters, unsigned cluster, unsigned threads, unsigned memory) {
    void *arguments[] = {parameters};
    tiles->to = p->to;
    tiles->from = p->from;
    /* Blocks past the last tile repeat the first tiles: the highest digit is taken modulo its count. */
    return wl__launch_clusters(p->context, kernel, tiles->tiles, cluster, threads, memory, arguments,
                               p->stream);
}

/* ---------------------------------------------------------------- movers of tiles */

/* The order of the bytes does not change. */
static bool can_copy(const struct wl__problem *p) {
    return p->shape.rank <= 1;
}

static wl_error run_copy(const struct wl__problem *p) {
    uint64_t bytes = p->shape.width * (p->shape.rank ? p->shape.dim[0].size : 1);
    return wl_copy(p->context, p->to, p->from, bytes, p->stream);
}

/* Blocks of small tiles take no turns. */
static struct wl_permute_start start_of(const struct wl__problem *p, unsigned memory, unsigned blocks) {
    const struct wl__tuned_bulk *tuned = &p->tuned->bulk;
    const uint32_t multiprocessors = p->context->multiprocessors;
    return (struct wl_permute_start){.multiprocessors = multiprocessors,
                                     .wave = blocks * multiprocessors,
                                     .wait = memory > tuned->memory_of_8 ? memory / tuned->turn : 0};
}

static wl__kernel bulk_kernel(const struct wl__permute_bulk_plan *plan) {
    return plan->words       ? WL_KERNEL_permute_words
           : plan->groups    ? (plan->unit == 1 ? WL_KERNEL_permute_groups1 : WL_KERNEL_permute_groups2)
           : plan->element   ? wl__permute_units_kernel(plan->element)
           : plan->unit == 1 ? WL_KERNEL_permute_narrow1
           : plan->unit == 2 ? WL_KERNEL_permute_narrow2
           : plan->narrow    ? WL_KERNEL_permute_narrow4
           : plan->unit == 4 ? WL_KERNEL_permute_bulk4
                             : WL_KERNEL_permute_bulk8;
}

static const wl__kernel async_kernels[] = {WL_KERNEL_permute_async1, WL_KERNEL_permute_async2,
                                           WL_KERNEL_permute_async4};

/* Plans tiles, unless they have been planned. */
static bool plan_tiles(const struct wl__problem *p, unsigned kind) {
    struct plans *plans = p->plans;
    if (plans->tiled != kind) {
        const bool planned = kind == ASYNC
                                 ? wl__permute_plan_async(p->tuned, plans->tiles, &p->shape, p->to, p->from)
                                 : wl__permute_plan_tiles(p->tuned, plans->tiles, &p->shape, p->to, p->from);
        plans->tiled = planned ? kind : NONE;
    }
    return plans->tiled == kind;
}

/* Whether registers' tiles have few bytes: these keep too little in flight, and blocks come too fast. */
static bool tiles_have(const struct wl__problem *p, uint32_t most) {
    return plan_tiles(p, REGISTERS) && p->plans->tiles->memory <= most;
}

static bool has_small_tiles(const struct wl__problem *p) {
    return tiles_have(p, p->tuned->small_tile) && p->plans->tiles->passes <= 2;
}

static bool can_rows(const struct wl__problem *p) {
    return wl__permute_has_rows(&p->shape);
}

/* Bulk tiles handle short rows that stay together, unless they cost so much that rows are faster one by one.
 * Planning other tiles takes milliseconds. */
static bool can_bulk_rows(const struct wl__problem *p) {
    const struct wl__tuned_permute *tuned = p->tuned;
    return wl__has_bulk(p->context) && can_rows(p) &&
           wl__permute_plan_bulk(tuned, p->plans->bulk, &p->shape, p->to, p->from, true) &&
           (wl__permute_row_bytes(&p->shape) < tuned->rows_second || p->shape.width > 8 ||
            p->plans->bulk->cost <= tuned->rows_beyond[__builtin_ctz(p->shape.width)]);
}

/* Look-ups of pairs cost much where the input's rows are short: `tiles` are faster where the output's are
 * long, and where look-ups are dear. */
static bool tiles_beat_narrow(const struct wl__problem *p) {
    const struct wl__tuned_narrow_rows *tuned = &p->tuned->bulk.narrow_rows;
    const struct wl__permute_shape *shape = &p->shape;
    const uint64_t in = shape->dim[0].size * shape->width,
                   out = shape->dim[shape->by_out[0]].size * shape->width;
    return shape->width == 2 && p->plans->bulk->cost > tuned->dear[in <= tuned->in && out >= tuned->out];
}

/* Whether narrow elements' tiles beat those through registers, though no row of these is shifted: if they are
 * estimated to be cheap, the more so the more wavefronts the others' accesses take. */
static bool narrow_beats_tiles(const struct wl__problem *p, unsigned waves) {
    const struct wl__permute_bulk_plan *bulk = p->plans->bulk;
    const struct wl__tuned_narrow_rows *tuned = &p->tuned->bulk.narrow_rows;
    const double(*of)[2] = p->shape.width == 2 ? tuned->pairs : tuned->bytes;
    double most = 0;
    for (unsigned i = 0; i < WL_BESIDE && waves >= of[i][0]; i++)
        most = of[i][1];
    return bulk->cost <= most;
}

static bool can_bulk(const struct wl__problem *p) {
    const struct wl__permute_plan *tiles = p->plans->tiles;
    const struct wl__permute_bulk_plan *bulk = p->plans->bulk;
    const struct wl__tuned_bulk *tuned = &p->tuned->bulk;
    const unsigned width = p->shape.width;
    if (!wl__has_bulk(p->context) || p->shape.rank < 2 || can_rows(p) ||
        (!p->plans->async_is_cheaper && !plan_tiles(p, REGISTERS)))
        return false;
    const bool in_registers = p->plans->tiled == REGISTERS,
               shifted = in_registers && (tiles->in_shifted || tiles->out_shifted);
    const unsigned waves = in_registers ? tiles->in_wave + tiles->out_wave : 0;
    const double first = (width == 2 ? tuned->narrow_rows.pairs : tuned->narrow_rows.bytes)[0][0];
    const bool narrow = width <= 2 && (in_registers ? waves >= first : width == 1);
    /* Registers' tiles of wider elements are 1.04 to 1.5 times as fast where rows begin at vectors. */
    if (width > 2 && in_registers && !shifted)
        return false;
    if (!wl__permute_plan_bulk(p->tuned, p->plans->bulk, &p->shape, p->to, p->from, shifted || narrow))
        return false;
    if (shifted || !narrow)
        return bulk->words || !tiles_beat_narrow(p);
    /* Asynchronous loads of bytes may be dear, too. */
    return in_registers ? narrow_beats_tiles(p, waves)
                        : !bulk->records && bulk->cost <= tuned->words.beside_async;
}

static wl_error run_bulk(const struct wl__problem *p) {
    struct wl__permute_bulk_plan *plan = p->plans->bulk;
    plan->bulk.start = start_of(p, plan->memory, plan->blocks);
    return launch(p, bulk_kernel(plan), &plan->bulk.tiles, &plan->bulk, plan->cluster, plan->threads,
                  plan->memory);
}

/* Elements have up to 4 bytes, and the output's rows are whole vectors. */
static bool can_async(const struct wl__problem *p) {
    const unsigned last = p->shape.rank > 1 ? p->shape.by_out[0] : 0;
    return wl__has_async(p->context) && p->shape.width <= 4 && last != 0 &&
           p->shape.dim[last].size * p->shape.width % WL_PERMUTE_ACCESS == 0;
}

/* Whether registers' tiles are slower than estimated.  2-byte elements' are where accesses conflict, and
 * beside cheap asynchronous tiles whose columns begin alike within sectors: those that do not are stored by
 * halves of sectors.  4-byte elements' are, unless asynchronous tiles are dear.  Plans registers' tiles,
 * unless it is true. */
static bool async_beats_registers(const struct wl__problem *p) {
    struct wl__permute_plan *const plan = p->plans->tiles;
    const struct wl__permute_plan async = *plan;
    if (p->shape.width == 1 || async.cost > p->tuned->async.most || !plan_tiles(p, REGISTERS))
        return false;
    const bool whole = async.sides.column % WL_PERMUTE_SECTOR == 0,
               beats = p->shape.width == 2 ? plan->in_wave + plan->out_wave >= p->tuned->async.waves ||
                                                 (whole && async.cost <= p->tuned->async.cheap)
                                           : !wl__permute_is_slow(p->tuned, &async, &p->shape);
    if (beats) {
        *plan = async;
        p->plans->tiled = ASYNC;
    }
    return beats;
}

/* Makes the plan only now, as planning takes long.  If bulk copies have a plan too, they may be faster. */
static double cost_async(const struct wl__problem *p) {
    const struct wl__permute_plan *plan = p->plans->tiles;
    if (wl__permute_is_whole(p->tuned, &p->shape) || !plan_tiles(p, ASYNC) ||
        !(wl__permute_async_is_cheaper(p->tuned, plan, &p->shape, p->from) || async_beats_registers(p)))
        return WL_DEAR;
    p->plans->async_is_cheaper = true;
    return wl__permute_is_slow(p->tuned, plan, &p->shape) ? WL_SECOND : WL_AS_COPY;
}

static wl_error run_async(const struct wl__problem *p) {
    struct wl__permute_plan *plan = p->plans->tiles;
    if (!plan_tiles(p, ASYNC))
        return WL_ERROR_MASKED;
    uint32_t memory = plan->blocks ? wl__shared_for(p->context, plan->blocks, plan->memory) : plan->memory;
    const wl__kernel kernel = async_kernels[__builtin_ctz(plan->width)];
    return launch(p, kernel, &plan->sides.tiles, &plan->sides, plan->cluster, plan->threads, memory);
}

/* Kernels of tiles, by width: for rows that begin at vectors in both arrays, or anywhere; for up to 6 or 8
 * accesses per thread.  Fewer accesses need fewer registers, so a multiprocessor holds more blocks. */
#define PASSES(kernel)                                                                                       \
    { WL_KERNEL_##kernel##_6, WL_KERNEL_##kernel##_8 }
#define ROWS(kernel)                                                                                         \
    { PASSES(kernel##_whole), PASSES(kernel##_both) }
static const wl__kernel tile_kernels[5][2][2] = {ROWS(permute_tile1),
                                                 ROWS(permute_tile2),
                                                 ROWS(permute_tile4),
                                                 ROWS(permute_tile8),
                                                 {PASSES(permute_tile16_whole)}};

static wl__kernel tile_kernel(const struct wl__permute_plan *plan) {
    const unsigned width = (unsigned)__builtin_ctz(plan->width);
    if (plan->threads > WL__PERMUTE_THREADS)
        return WL_KERNEL_permute_tile4_both_wide;
    /* Kernels that can do more serve here too. */
    const wl__kernel(*of_width)[2] = tile_kernels[width];
    const unsigned passes = plan->passes > 6, shifted = plan->in_shifted || plan->out_shifted;
    for (unsigned rows = shifted; rows < (width < 4 ? 2 : 1); rows++)
        for (unsigned more = passes; more < 2; more++)
            if (!WL_MASKED(of_width[rows][more]))
                return of_width[rows][more];
    return of_width[shifted][passes];
}

/* With fewer than two dimensions there is nothing to tile. */
static wl_error run_tiles(const struct wl__problem *p) {
    struct wl__permute_plan *plan = p->plans->tiles;
    if (can_copy(p))
        return run_copy(p);
    if (!plan_tiles(p, REGISTERS))
        return wl__fail(WL_ERROR_UNSUPPORTED, "wl_permute: more than 2^31 tiles");
    return launch(p, tile_kernel(plan), &plan->sides.tiles, &plan->sides, plan->cluster, plan->threads,
                  plan->memory);
}

/* ---------------------------------------------------------------- movers by other operations, and of rows */

/* Two dimensions swap places, perhaps within each index of a third one. */
static bool can_transpose(const struct wl__problem *p) {
    const struct wl__permute_shape *shape = &p->shape;
    return shape->rank > 1 && shape->by_out[0] == 1 &&
           (shape->rank == 2 || (shape->rank == 3 && shape->by_out[2] == 2));
}

/* The last dimensions of both arrays change places, and the others are a batch. */
static bool can_batch(const struct wl__problem *p) {
    wl_transpose_layout layout;
    struct wl__digits digits;
    return wl__permute_as_batch(&p->shape, &layout, &digits);
}

static double cost_batch(const struct wl__problem *p) {
    wl_transpose_layout layout;
    struct wl__digits digits;
    return wl__permute_as_batch(&p->shape, &layout, &digits)
               ? wl__transpose_cost(p->context, p->shape.width, p->to, p->from, &layout, &digits)
               : WL_DEAR;
}

static wl_error run_batch(const struct wl__problem *p) {
    wl_transpose_layout layout;
    struct wl__digits digits;
    if (!wl__permute_as_batch(&p->shape, &layout, &digits))
        return WL_ERROR_MASKED;
    return wl__transpose_any(p->context, p->shape.width, p->to, p->from, &layout, &digits, p->stream);
}

static bool can_strips(const struct wl__problem *p) {
    return can_rows(p) && p->shape.rank >= 3 && wl__has_bulk(p->context);
}

/* Makes the plan only now, as few rows suit it.  Short rows are faster as elements of bulk's tiles, if these
 * have a plan. */
static double cost_strips(const struct wl__problem *p) {
    const struct wl__tuned_strips *tuned = &p->tuned->strips;
    if (!wl__permute_rows_beat_strips(p->context, &p->shape) &&
        wl__permute_plan_strips(p->tuned, p->plans->strips, &p->shape, p->to, p->from))
        return wl__permute_row_bytes(&p->shape) < tuned->first[__builtin_ctz(p->shape.width)] ? WL_SECOND
                                                                                              : WL_AS_COPY;
    p->plans->strips->threads = 0;
    return WL_DEAR;
}

static wl_error run_strips(const struct wl__problem *p) {
    struct wl__permute_strips_plan *plan = p->plans->strips;
    if (!plan->threads)
        return WL_ERROR_MASKED;
    plan->strips.start = start_of(p, plan->memory, wl__permute_bulk_blocks(&p->tuned->bulk, plan->memory));
    return launch(p, WL_KERNEL_permute_strips, &plan->strips.tiles, &plan->strips, plan->cluster,
                  plan->threads, plan->memory);
}

static bool can_matrices(const struct wl__problem *p) {
    return wl__has_bulk(p->context) && wl__permute_is_matrices(p->tuned, &p->shape);
}

/* Whether tiles are faster for matrices of whole accesses.  Small matrices suit them, and all of 8-byte
 * elements.  Large ones of bytes do if their rows are whole accesses, or shorter than one; of words, whose
 * rows are whole, they do up to twice the size; large ones of pairs never do.  But see lacks_good_tiles(). */
static bool suits_tiles(const struct wl__tuned_matrices *tuned, const struct wl__permute_shape *shape) {
    const uint64_t row = shape->dim[0].size * shape->width, matrix = row * shape->dim[1].size;
    const bool whole = row % WL_PERMUTE_ACCESS == 0;
    switch (shape->width) {
    case 1:
        return matrix < tuned->words || whole || row < WL_PERMUTE_ACCESS;
    case 2:
        return matrix < tuned->pairs;
    case 4:
        return matrix < (whole ? 2 : 1) * tuned->words;
    default:
        return true;
    }
}

/* Bytes of a matrix up to which records may be faster: beyond what the L2 holds twice as many. */
static uint64_t largest_record(const struct wl__problem *p) {
    return (wl__permute_bytes(&p->shape) > p->tuned->cached ? 2 : 1) * p->tuned->matrices.tiny[1];
}

/* Of bytes those that asynchronous loads fill are good, and those whose rows are whole accesses and that have
 * few bank conflicts; of words those with asynchronous loads that are not dear, and of 8-byte elements those
 * that are not small. */
static bool lacks_good_tiles(const struct wl__problem *p, uint64_t matrix) {
    const struct wl__permute_plan *plan = p->plans->tiles;
    switch (p->shape.width) {
    case 1:
        return matrix > largest_record(p) && !(can_async(p) && plan_tiles(p, ASYNC)) &&
               (wl__permute_row_bytes(&p->shape) % WL_PERMUTE_ACCESS != 0 ||
                (plan_tiles(p, REGISTERS) && plan->in_wave + plan->out_wave >= p->tuned->matrices.conflicts));
    case 4:
        return can_async(p) && plan_tiles(p, ASYNC) && wl__permute_is_slow(p->tuned, plan, &p->shape);
    case 8:
        return has_small_tiles(p);
    default:
        return false;
    }
}

/* Small matrices are many to look up: as parts of records they are 1.2 to 5 times as fast. */
static double cost_matrices(const struct wl__problem *p) {
    const struct wl__tuned_matrices *tuned = &p->tuned->matrices;
    const unsigned width = p->shape.width;
    const uint64_t matrix = p->shape.dim[0].size * p->shape.dim[1].size * width;
    if ((matrix | p->to | p->from) % WL_PERMUTE_ACCESS == 0 && suits_tiles(tuned, &p->shape))
        return wl__cost_where(lacks_good_tiles(p, matrix));
    return wl__cost_where(!(width <= 2 && matrix <= largest_record(p) &&
                            wl__permute_plan_records(p->tuned, p->plans->bulk, &p->shape, width, 0, p->to,
                                                     p->from, tuned->records[matrix > tuned->tiny[0]])));
}

static wl_error run_matrices(const struct wl__problem *p) {
    static const wl__kernel kernels[] = {WL_KERNEL_permute_matrices1, WL_KERNEL_permute_matrices2,
                                         WL_KERNEL_permute_matrices4, WL_KERNEL_permute_matrices8};
    struct wl__permute_matrices_plan *plan = p->plans->matrices;
    if (!plan->memory)
        wl__permute_plan_matrices(p->tuned, plan, &p->shape, p->from);
    const uint32_t memory = wl__shared_for(p->context, plan->blocks, plan->memory);
    return launch(p, kernels[__builtin_ctz(plan->width)], &plan->matrices.tiles, &plan->matrices, 1,
                  WL__PERMUTE_MATRICES_THREADS, memory);
}

static bool can_small(const struct wl__problem *p) {
    return p->shape.rank > 1 && wl__small_can(&p->shape);
}

/* Planning tiles takes long, so their plans are not asked.  Some others are quick where both arrays' rows are
 * vectors: tiles of 4-byte elements, and batches of transposes of narrower ones. */
static bool is_small(const struct wl__problem *p) {
    const struct wl__tuned_small *tuned = &p->context->tuned->small;
    const struct wl__permute_shape *shape = &p->shape;
    const uint64_t places =
        (shape->dim[0].size | shape->dim[shape->by_out[0]].size) * shape->width | p->to | p->from;
    if (!can_small(p) || wl__permute_bytes(shape) > p->tuned->cached ||
        wl__small_cost(p->context, shape, tuned->moved) > WL_AS_COPY)
        return false;
    return wl__small_cost(p->context, shape, tuned->tiles) <= WL_AS_COPY || shape->width > 4 ||
           places % WL_PERMUTE_ACCESS != 0 || (shape->width < 4 && cost_batch(p) > WL_AS_COPY);
}

/* Whether rows are long; or move by 16-byte words in an array that the L2 holds, where boxes take up to 1.18
 * times as long, and tiles 1.1 to 1.4 times. */
static bool has_quick_rows(const struct wl__problem *p) {
    return wl__permute_has_long_rows(p->tuned, &p->shape) ||
           (p->shape.width == 16 && wl__permute_bytes(&p->shape) <= p->tuned->cached);
}

/* Tiles that take a row as an element are faster for shorter rows.  Without such tiles, other tiles are
 * faster only for rows of 16-byte words, of which they must have many unless these move far apart. */
static double cost_rows(const struct wl__problem *p) {
    if (has_quick_rows(p))
        return WL_AS_COPY;
    const bool second = p->shape.width < 16 ? wl__permute_row_bytes(&p->shape) >= p->tuned->rows_second &&
                                                  !wl__permute_tears_rows(p->tuned, &p->shape)
                                            : !wl__permute_parts_rows(p->tuned, &p->shape) &&
                                                  tiles_have(p, p->tuned->rows_tile);
    return second ? WL_SECOND : WL_DEAR;
}

static wl_error run_rows(const struct wl__problem *p) {
    return wl__permute_run_rows(p->context, &p->shape, p->to, p->from, p->stream);
}

static bool can_few(const struct wl__problem *p) {
    return wl__permute_can_few(&p->shape, p->to, p->from);
}

/* Transposes have movers of their own, which are as fast if the array is not small. */
static double cost_few(const struct wl__problem *p) {
    return can_transpose(p) && wl__permute_bytes(&p->shape) > p->tuned->few.small_array
               ? WL_DEAR
               : wl__permute_cost_few(p->context, &p->shape);
}

static wl_error run_few(const struct wl__problem *p) {
    return wl__permute_run_few(p->context, &p->shape, p->to, p->from, p->stream);
}

/* In large arrays its boxes of wide elements beat small tiles.  Boxes of rows do where only two dimensions
 * change places. */
static double cost_small(const struct wl__problem *p) {
    if (is_small(p))
        return WL_AS_COPY;
    const bool second = can_rows(p) ? p->shape.rank == 3 && wl__permute_tears_rows(p->tuned, &p->shape)
                                    : p->shape.width >= 8 && has_small_tiles(p);
    return second ? WL_SECOND : WL_DEAR;
}

static wl_error run_small(const struct wl__problem *p) {
    return wl__small_move(p->context, &p->shape, p->to, p->from, p->stream);
}

/* The floor takes any shape of up to 2^31 tiles, about 200 GB. */
static const struct wl__mover movers[] = {
    {"copy", "the order of the elements does not change", can_copy, NULL, run_copy},
    {"few", "a few rows become columns, or columns rows, and others move: a thread holds a vector of each",
     can_few, cost_few, run_few},
    {"transpose", "two dimensions, or neighbours that act as two, change places", can_transpose, NULL,
     run_batch},
    {"strips", "short rows that begin anywhere move: tiles of them, which bulk copies fill", can_strips,
     cost_strips, run_strips},
    {"rows", "the last dimension keeps its place: whole rows move", can_rows, cost_rows, run_rows},
    {"small", "a small array: many short blocks, all of which run at once", can_small, cost_small, run_small},
    {"transpose", "the last dimensions of both arrays change places in a batch of others", can_batch,
     cost_batch, run_batch},
    {"matrices", "the last two dimensions change places, and others move: matrices that bulk copies bring",
     can_matrices, cost_matrices, run_matrices},
    {"bulk", "rows or runs that begin anywhere: large tiles that bulk copies fill", can_bulk_rows, NULL,
     run_bulk},
    {"async", "rows of both arrays at 16 bytes: large tiles that asynchronous loads fill", can_async,
     cost_async, run_async},
    {"bulk", "rows or runs that begin anywhere: large tiles that bulk copies fill", can_bulk, NULL, run_bulk},
    {"tiles", "tiles that are long in both arrays' last dimensions, through shared memory", NULL,
     wl__cost_floor, run_tiles},
};

/* ---------------------------------------------------------------- plans that are kept */

/* Planning takes 95 us, rarely up to 3 ms, and programs repeat their calls.  So each thread keeps its last
 * plans.  A plan depends on the shape, the device, and the distance of both addresses from whole lines. */
#define KEPT 8

struct kept {
    struct wl__permute_shape shape; /* rank 0: none */
    uint64_t to, from;
    const struct wl__tuned *tuned;
    unsigned capability;           /* the device's */
    const struct wl__mover *mover; /* and its plan, if it has one */
    union {
        struct wl__permute_plan tiles;
        struct wl__permute_bulk_plan bulk;
        struct wl__permute_matrices_plan matrices;
    } plan;
};

static bool same_shape(const struct wl__permute_shape *a, const struct wl__permute_shape *b) {
    bool same = a->width == b->width && a->rank == b->rank;
    for (unsigned d = 0; same && d < a->rank; d++)
        same = a->dim[d].size == b->dim[d].size && a->by_out[d] == b->by_out[d];
    return same;
}

static bool serves(const struct kept *kept, const struct wl__problem *p) {
    return same_shape(&kept->shape, &p->shape) && (kept->to - p->to) % WL_PERMUTE_LINE == 0 &&
           (kept->from - p->from) % WL_PERMUTE_LINE == 0 && kept->tuned == p->context->tuned &&
           kept->capability == p->context->capability;
}

static void keep(struct kept *kept, const struct wl__problem *p, const struct wl__mover *mover) {
    kept->mover = mover;
    if (mover->run == run_bulk)
        kept->plan.bulk = *p->plans->bulk;
    else if (mover->run == run_matrices)
        kept->plan.matrices = *p->plans->matrices;
    else if (p->plans->tiled)
        kept->plan.tiles = *p->plans->tiles;
    kept->shape = p->shape;
    kept->to = p->to;
    kept->from = p->from;
    kept->tuned = p->context->tuned;
    kept->capability = p->context->capability;
}

/* Whether to ask movers of tiles: any other mover is faster if it costs no more than a copy. */
static bool needs_tiles(const struct wl__problem *p) {
    return !(can_copy(p) || can_transpose(p) || (can_rows(p) && has_quick_rows(p)) ||
             (can_few(p) && cost_few(p) <= WL_AS_COPY) || is_small(p));
}

static wl_error move(const struct wl__problem *p, struct wl__choice *choice) {
    static _Thread_local struct kept all[KEPT];
    static _Thread_local unsigned oldest;
    struct plans *plans = p->plans;
    if (WL_MASKING || !needs_tiles(p))
        return wl__move(p->context, WL_MOVERS(movers), choice, p);
    for (struct kept *kept = all; kept < all + KEPT; kept++)
        if (serves(kept, p)) {
            plans->tiles = &kept->plan.tiles;
            plans->bulk = &kept->plan.bulk;
            plans->matrices = &kept->plan.matrices;
            plans->tiled = kept->mover->run == run_async ? ASYNC : REGISTERS;
            return wl__mover_run(p->context, kept->mover, choice, p);
        }
    const struct wl__mover *mover = wl__mover_pick(WL_MOVERS(movers), 0, p);
    const wl_error error = wl__mover_run(p->context, mover, choice, p);
    /* Also a mover without a plan: that other movers are slower took plans of theirs.  Those of strips take a
     * microsecond, and what else is planned for short rows little more where bulk's tiles do not fit. */
    if (mover->run != run_strips) {
        keep(&all[oldest], p, mover);
        oldest = (oldest + 1) % KEPT;
    }
    return error;
}

wl_error wl__permute_move(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                          wl_devptr from, struct wl__choice *choice, wl_stream stream) {
    struct wl__permute_strips_plan strips;
    struct wl__permute_matrices_plan matrices;
    struct wl__permute_plan tiles;
    struct wl__permute_bulk_plan bulk;
    struct plans plans = {
        .tiled = NONE, .tiles = &tiles, .bulk = &bulk, .strips = &strips, .matrices = &matrices};
    strips.threads = 0;
    matrices.memory = 0;
    const struct wl__problem problem = {.context = context,
                                        .stream = stream,
                                        .tuned = &context->tuned->permute,
                                        .to = to,
                                        .from = from,
                                        .shape = *shape,
                                        .plans = &plans};
    return move(&problem, choice);
}
