/* Which plan is thought the fastest. */
#include <string.h>

#include "lib/mask.h"
#include "lib/permute/permute_plan.h"

#define THREADS WL__PERMUTE_THREADS
#define MEMORY  (44 * 1024) /* padding comes on top; a block may have 48 KB */

#define ASYNC_MEMORY (64 * 1024) /* of tiles that asynchronous loads fill */

#define PASS 0.0036 /* of their threads over a side */

#define NO_COST 1e30

/* The blocks that a multiprocessor has registers for, and memory. */
static uint64_t blocks_of(uint64_t bytes, uint64_t passes) {
    uint64_t blocks = passes <= 4 ? 8 : passes <= 6 ? 5 : 4, fit = 227 * 1024 / (bytes + 2048);
    return blocks < fit ? blocks : fit;
}

struct tile {
    uint64_t bytes;
    unsigned in_run, out_run;
    double traffic; /* elements visited by elements of the array */
};

static void look(struct tile *tile, const struct wl__permute_shape *shape, const uint64_t *extent) {
    tile->traffic = 1;
    tile->bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++) {
        tile->bytes *= extent[d];
        tile->traffic *=
            (double)(wl__divide_up(shape->dim[d].size, extent[d]) * extent[d]) / (double)shape->dim[d].size;
    }
    tile->in_run = wl__permute_run(extent, shape, false);
    tile->out_run = wl__permute_run(extent, shape, true);
}

/* What a tile is thought to cost, as a share of what a copy does: fitted to an H200's times of 4600 plans of
 * 34 shapes, such that what it finds cheapest is fast.  What is visited more than once; short runs, most of
 * all in the input; rows that are loaded of parts of lines and runs that are stored of parts of sectors; too
 * little in flight; small tiles; wide elements in more passes than a thread has registers for. */
static double cost_of(const struct wl__permute_shape *shape, const uint64_t *extent) {
    struct tile tile;
    look(&tile, shape, extent);
    uint64_t bytes = tile.bytes, passes = wl__divide_up(bytes, THREADS * WL_PERMUTE_ACCESS);
    if (bytes > MEMORY)
        return NO_COST;
    double in = tile.in_run, out = tile.out_run,
           in_flight = (double)(bytes * blocks_of(bytes, passes)) / 140000;
    return 1.13 * (tile.traffic - 1) + 7.7 / in + 171 / (in * in) +
           (tile.in_run % WL_PERMUTE_LINE ? 10.4 / in : 0) + 10.5 / out + 450 / (out * out) +
           (tile.out_run % WL_PERMUTE_SECTOR ? 48 / out : 0) + (in_flight < 1 ? 0.35 * (1 - in_flight) : 0) +
           460 / (double)bytes + (shape->width == 8 && passes > 4 ? 0.044 : 0);
}

/* Bytes of which pieces that lie side by side begin and end at multiples, up to a line. */
static unsigned grain_of(const struct wl__permute_shape *shape, const uint64_t *extent, bool by_out,
                         unsigned run) {
    uint64_t bits = run | WL_PERMUTE_LINE;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t step = (by_out ? shape->dim[d].out : shape->dim[d].in) * shape->width,
                 size = shape->dim[d].size;
        if (extent[d] < size)
            bits |= extent[d] * step | size % extent[d] * step;
        if (extent[d] > 1 && step >= run)
            bits |= step;
    }
    return (unsigned)(bits & -bits);
}

/* The same of tiles that asynchronous loads fill, of 5000 plans of 258 shapes: within 1.2 % of the best of
 * them on the average.  Passes of threads over either side, as few as can be. */
static double async_cost_of(const struct wl__permute_shape *shape, const uint64_t *extent) {
    struct tile tile;
    look(&tile, shape, extent);
    if (tile.bytes > ASYNC_MEMORY)
        return NO_COST;
    double in = tile.in_run, out = tile.out_run, bytes = (double)tile.bytes;
    unsigned in_grain = grain_of(shape, extent, false, tile.in_run),
             out_grain = grain_of(shape, extent, true, tile.out_run);
    return 0.176 * (tile.traffic - 1) + 6.1 / in + 0.096 * (WL_PERMUTE_LINE - in_grain) / in + 5.9 / out +
           (out_grain < WL_PERMUTE_LINE ? 0.7 / out : 0) +
           (out_grain < WL_PERMUTE_SECTOR ? 1.6 * (WL_PERMUTE_SECTOR - out_grain) / out : 0) + 398 / bytes +
           (bytes < 8192 ? 0.194 * (1 - bytes / 8192) : 0) + PASS * 2 * bytes / (THREADS * WL_PERMUTE_ACCESS);
}

/* What a plan costs beyond that: more passes, banks, and fewer than four blocks. */
static double async_cost_beyond(const struct wl__permute_plan *plan, const struct wl__permute_shape *shape) {
    double bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++)
        bytes *= (double)plan->extent[d];
    return PASS * (plan->in_passes + plan->out_passes - 2 * bytes / (THREADS * WL_PERMUTE_ACCESS)) +
           (plan->out_wave > 2 ? 0.021 * (plan->out_wave - 2) : 0) + (plan->memory > 57 * 1024 ? 0.029 : 0);
}

/* Blocks that run side by side at the same time: neighbours in the order, which load and store what lies side
 * by side.  Small ones come too fast for it, and some lose by more than two: those of narrow elements, of
 * rows that begin anywhere, and those that leave threads idle. */
static unsigned cluster_for(const struct wl__permute_plan *plan) {
    if (plan->memory < 9000 || (plan->width < 4 && (plan->passes < 4 || plan->threads < THREADS)))
        return 1;
    bool even = plan->width >= 4 && !plan->in_shifted && !plan->out_shifted && plan->lanes > 0.72 &&
                (plan->threads == THREADS || plan->passes <= 6);
    return even ? 4 : 2;
}

static uint64_t whole_bytes(const struct wl__permute_shape *shape) {
    uint64_t bytes = shape->dim[0].size * shape->width;
    for (unsigned i = 0; shape->by_out[i] != 0; i++) {
        uint64_t size = shape->dim[shape->by_out[i]].size;
        bytes = size < UINT64_MAX / bytes ? bytes * size : UINT64_MAX;
    }
    return bytes;
}

bool wl__permute_is_whole(const struct wl__permute_shape *shape) {
    uint64_t bytes = whole_bytes(shape);
    return shape->by_out[0] != 0 && (shape->width == 4 || shape->width == 8) && bytes >= 8 * 1024 &&
           bytes <= 46 * 1024 && shape->dim[0].size * shape->width >= 128;
}

/* A tile that is written side by side: in blocks of 512 threads where 256 cannot hold it. */
static bool plan_whole(struct wl__permute_plan *plan, const struct wl__permute_shape *shape) {
    struct wl__permute_aim aim = {{0}, 48 * 1024, THREADS, WL__PERMUTE_HELD};
    for (unsigned d = 0; d < shape->rank; d++)
        aim.extent[d] = d == 0 ? shape->dim[0].size : 1;
    for (unsigned i = 0; shape->by_out[i] != 0; i++)
        aim.extent[shape->by_out[i]] = shape->dim[shape->by_out[i]].size;
    bool is = wl__permute_tile(plan, shape, &aim);
    if (!is && !(WL_MASKED(WL_KERNEL_permute_tile4_both_wide) && shape->width == 4) &&
        !(WL_MASKED(WL_KERNEL_permute_tile8_both_wide) && shape->width == 8)) {
        aim.threads = 2 * THREADS;
        aim.passes = 6;
        is = wl__permute_tile(plan, shape, &aim);
    }
    if (!is || plan->memory > 48 * 1024)
        return false;
    plan->cluster = plan->threads > THREADS ? 1 : cluster_for(plan);
    return true;
}

/* ---------------------------------------------------------------- what is tried */

#define CANDIDATES 512

struct candidate {
    uint64_t extent[WL_RANK_MAX];
    double cost;
};

struct candidates {
    double (*cost)(const struct wl__permute_shape *shape, const uint64_t *extent);
    unsigned count;
    struct candidate all[CANDIDATES];
};

static bool consider(struct candidates *tried, const struct wl__permute_shape *shape,
                     const uint64_t *extent) {
    struct candidate new = {{0}, tried->cost(shape, extent)};
    if (new.cost >= NO_COST || tried->count == CANDIDATES)
        return false;
    for (unsigned d = 0; d < shape->rank; d++)
        new.extent[d] = extent[d];
    for (unsigned i = 0; i < tried->count; i++)
        if (tried->all[i].cost == new.cost &&
            memcmp(tried->all[i].extent, new.extent, sizeof(new.extent)) == 0)
            return false;
    tried->all[tried->count++] = new;
    return true;
}

/* Also tiles of 2 to 4 such pieces, one after the other in the next dimension of an array's order: they do
 * not lie side by side, but close. */
static void consider_some(struct candidates *tried, const struct wl__permute_shape *shape, uint64_t *extent,
                          bool by_out) {
    unsigned i = 0;
    while (i < shape->rank && extent[wl__permute_dim(shape, by_out, i)] > 1)
        i++;
    if (i == shape->rank)
        return;
    unsigned d = wl__permute_dim(shape, by_out, i);
    for (uint64_t n = 2; n <= 4; n++)
        if (shape->dim[d].size % n == 0) {
            extent[d] = n;
            consider(tried, shape, extent);
        }
    extent[d] = 1;
}

static void consider_all(struct candidates *tried, const struct wl__permute_shape *shape) {
    static const unsigned runs[] = {1, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
    enum { RUNS = sizeof(runs) / sizeof(runs[0]) };
    tried->count = 0;
    for (unsigned i = 0; i < RUNS; i++)
        for (unsigned o = 0; o < RUNS; o++) {
            uint64_t extent[WL_RANK_MAX];
            wl__permute_extents(extent, shape, runs[i], runs[o]);
            if (consider(tried, shape, extent)) {
                consider_some(tried, shape, extent, false);
                consider_some(tried, shape, extent, true);
            }
        }
}

/* The cheapest of those that are left; NULL: none is. */
static const struct candidate *next_best(struct candidates *tried) {
    struct candidate *best = &tried->all[0];
    for (unsigned i = 1; i < tried->count; i++)
        if (tried->all[i].cost < best->cost)
            best = &tried->all[i];
    if (tried->count == 0 || best->cost >= NO_COST)
        return NULL;
    best->cost = NO_COST;
    return best;
}

bool wl__permute_plan_tiles(struct wl__permute_plan *plan, const struct wl__permute_shape *shape, uint64_t to,
                            uint64_t from) {
    plan->sides.tiles.to = to;
    plan->sides.tiles.from = from;
    if (wl__permute_is_whole(shape) && plan_whole(plan, shape))
        return true;
    struct candidates tried = {.cost = cost_of};
    const struct candidate *next;
    consider_all(&tried, shape);
    /* The cheapest that can be made; of one element to a tile all can. */
    while ((next = next_best(&tried))) {
        struct wl__permute_aim aim = {{0}, MEMORY, THREADS, WL__PERMUTE_HELD};
        for (unsigned d = 0; d < shape->rank; d++)
            aim.extent[d] = next->extent[d];
        if (wl__permute_tile(plan, shape, &aim) && plan->memory <= 48 * 1024) {
            plan->cluster = cluster_for(plan);
            return true;
        }
    }
    return false;
}

/* As many blocks as keep 75 KB under way beside the one that stores, and no fewer than four. */
static unsigned blocks_for(const struct wl__permute_plan *plan) {
    const unsigned beside = 75 * 1024, least = 4;
    unsigned blocks = 1 + (beside + plan->memory / 2) / plan->memory;
    return blocks < least ? least : blocks;
}

/* Matrices of short rows, many of which lie side by side in a tile, that are not whole pieces. */
bool wl__permute_is_near(const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    uint64_t row = shape->dim[0].size * shape->width;
    return (shape->width == 4 || shape->width == 8) && shape->rank == 3 && shape->by_out[0] == 1 &&
           shape->by_out[2] == 2 && row <= 512 && row % 256 && (row | from) % WL_PERMUTE_ACCESS == 0 &&
           (shape->dim[1].size * shape->width | to) % WL_PERMUTE_SECTOR == 0;
}

/* Whether asynchronous loads are the faster ones whatever tiles through registers are thought to cost:
 * of bytes, which they turn by words; of 4 bytes rows that are short in both arrays, and of three
 * dimensions in reverse order whole lines; and matrices of short rows. */
static bool suits_async(const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    uint64_t in = shape->dim[0].size * shape->width, out = shape->dim[shape->by_out[0]].size * shape->width;
    bool reversed = shape->rank == 3 && shape->by_out[0] == 2 && shape->by_out[1] == 1;
    return shape->width == 1 || wl__permute_is_near(shape, to, from) ||
           (shape->width == 4 &&
            ((in < 512 && out < 512) || (reversed && in % WL_PERMUTE_LINE == 0 && in > 2 * WL_PERMUTE_LINE)));
}

/* What tiles through registers cost more than tiles of asynchronous loads before these are taken: below it
 * they are within 1 % of each other, and no faster. */
#define MARGIN 0.03

bool wl__permute_plan_async(struct wl__permute_plan *plan, const struct wl__permute_shape *shape, uint64_t to,
                            uint64_t from) {
    enum { TRIED = 16 };
    struct wl__permute_plan trial = {.sides = {.tiles = {.to = to, .from = from}}};
    struct candidates tried = {.cost = async_cost_of};
    const struct candidate *next;
    unsigned made = 0, out0 = shape->by_out[0];
    if (out0 == 0 || shape->dim[out0].size * shape->width % WL_PERMUTE_ACCESS || wl__permute_is_whole(shape))
        return false;
    plan->cost = NO_COST;
    consider_all(&tried, shape);
    while (made < TRIED && (next = next_best(&tried))) {
        if (!wl__permute_async(&trial, shape, next->extent) || trial.memory > ASYNC_MEMORY)
            continue;
        made++;
        trial.cost = async_cost_of(shape, next->extent) + async_cost_beyond(&trial, shape);
        if (trial.cost < plan->cost)
            *plan = trial;
    }
    if (made == 0)
        return false;
    plan->blocks = blocks_for(plan);
    plan->cluster = 2;
    if (suits_async(shape, to, from))
        return true;
    tried.cost = cost_of;
    consider_all(&tried, shape);
    next = next_best(&tried);
    return next && cost_of(shape, next->extent) > plan->cost + MARGIN;
}

/* Where what is written is whole pieces of 256 bytes through several dimensions of a reversed array, bulk
 * copies are 2 % faster than tiles of asynchronous loads that are among the dearer ones; of the dearest up
 * to half again as fast. */
bool wl__permute_is_slow(const struct wl__permute_plan *plan, const struct wl__permute_shape *shape) {
    const double dear = 0.1075, dearest = 0.18;
    bool reversed = shape->rank > 3;
    for (unsigned i = 0; i < shape->rank; i++)
        reversed = reversed && shape->by_out[i] == shape->rank - 1 - i;
    return shape->width == 4 && plan->cost > (reversed ? dear : dearest);
}
