/* Chooses the plan that is estimated to be fastest. */
#include <string.h>

#include "lib/mask.h"
#include "lib/permute/permute_plan.h"

#define THREADS WL__PERMUTE_THREADS
#define MEMORY  (44 * 1024) /* padding comes on top; a block may have 48 KB */

#define NO_COST 1e30

/* Blocks that a multiprocessor has registers and memory for. */
static uint64_t blocks_of(const struct wl__tuned_registers *tuned, uint64_t bytes, uint64_t passes) {
    uint64_t blocks = passes <= 4 ? 8 : passes <= 6 ? 5 : 4, fit = tuned->memory / (bytes + 2048);
    return blocks < fit ? blocks : fit;
}

struct tile {
    uint64_t bytes;
    unsigned in_run, out_run;
    double traffic; /* elements visited per element of the array */
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

/* The estimated cost of a tile beyond a copy, as a share of it. */
static double cost_of(const struct wl__tuned_permute *permute, const struct wl__permute_shape *shape,
                      const uint64_t *extent) {
    const struct wl__tuned_registers *tuned = &permute->registers;
    struct tile tile;
    look(&tile, shape, extent);
    uint64_t bytes = tile.bytes, passes = wl__divide_up(bytes, THREADS * WL_PERMUTE_ACCESS);
    if (bytes > MEMORY)
        return NO_COST;
    double in = tile.in_run, out = tile.out_run,
           in_flight = (double)(bytes * blocks_of(tuned, bytes, passes)) / tuned->in_flight;
    return tuned->traffic * (tile.traffic - 1) + tuned->in / in + tuned->in_square / (in * in) +
           (tile.in_run % WL_PERMUTE_LINE ? tuned->in_lines / in : 0) + tuned->out / out +
           tuned->out_square / (out * out) +
           (tile.out_run % WL_PERMUTE_SECTOR ? tuned->out_sectors / out : 0) +
           (in_flight < 1 ? tuned->idle * (1 - in_flight) : 0) + tuned->tile / (double)bytes +
           (shape->width == 8 && passes > 4 ? tuned->wide : 0);
}

unsigned wl__permute_grain(const struct wl__permute_shape *shape, const uint64_t *extent, bool by_out,
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

/* The fewest passes of threads over both sides. */
static double passes_of(double bytes) {
    return 2 * bytes / (THREADS * WL_PERMUTE_ACCESS);
}

/* The same for tiles that asynchronous loads fill. */
static double async_cost_of(const struct wl__tuned_permute *permute, const struct wl__permute_shape *shape,
                            const uint64_t *extent) {
    const struct wl__tuned_async *tuned = &permute->async;
    struct tile tile;
    look(&tile, shape, extent);
    if (tile.bytes > tuned->memory)
        return NO_COST;
    double in = tile.in_run, out = tile.out_run, bytes = (double)tile.bytes;
    unsigned in_grain = wl__permute_grain(shape, extent, false, tile.in_run),
             out_grain = wl__permute_grain(shape, extent, true, tile.out_run);
    return tuned->traffic * (tile.traffic - 1) + tuned->in / in +
           tuned->in_lines * (WL_PERMUTE_LINE - in_grain) / in + tuned->out / out +
           (out_grain < WL_PERMUTE_LINE ? tuned->out_lines / out : 0) +
           (out_grain < WL_PERMUTE_SECTOR ? tuned->out_sectors * (WL_PERMUTE_SECTOR - out_grain) / out : 0) +
           tuned->tile / bytes + (bytes < tuned->small ? tuned->idle * (1 - bytes / tuned->small) : 0) +
           tuned->pass * passes_of(bytes);
}

/* What a plan adds to that cost: more passes, banks, and fewer than four blocks. */
static double async_cost_beyond(const struct wl__tuned_async *tuned, const struct wl__permute_plan *plan,
                                const struct wl__permute_shape *shape) {
    double bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++)
        bytes *= (double)plan->extent[d];
    return tuned->pass * (plan->in_passes + plan->out_passes - passes_of(bytes)) +
           (plan->out_wave > 2 ? tuned->wave * (plan->out_wave - 2) : 0) +
           (plan->memory > tuned->large ? tuned->few_blocks : 0);
}

/* Blocks that should run at the same time: neighbours in the order, which load and store contiguous data.
 * Small blocks finish too soon to gain.  More than two are slower for narrow elements, for rows that begin
 * anywhere, and for blocks with idle threads. */
static unsigned cluster_for(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan) {
    if (plan->memory < tuned->cluster_memory ||
        (plan->width < 4 && (plan->passes < 4 || plan->threads < THREADS)))
        return 1;
    bool even = plan->width >= 4 && !plan->in_shifted && !plan->out_shifted &&
                plan->lanes > tuned->cluster_lanes && (plan->threads == THREADS || plan->passes <= 6);
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

bool wl__permute_is_whole(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape) {
    uint64_t bytes = whole_bytes(shape);
    return shape->by_out[0] != 0 && (shape->width == 4 || shape->width == 8) && bytes >= tuned->whole_least &&
           bytes <= tuned->whole_most && shape->dim[0].size * shape->width >= tuned->whole_row;
}

/* A contiguously written tile: for 4 bytes in blocks of 512 threads if 256 cannot hold it. */
static bool plan_whole(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                       const struct wl__permute_shape *shape) {
    struct wl__permute_aim aim = {{0}, 48 * 1024, THREADS, WL__PERMUTE_HELD};
    for (unsigned d = 0; d < shape->rank; d++)
        aim.extent[d] = d == 0 ? shape->dim[0].size : 1;
    for (unsigned i = 0; shape->by_out[i] != 0; i++)
        aim.extent[shape->by_out[i]] = shape->dim[shape->by_out[i]].size;
    bool is = wl__permute_tile(tuned, plan, shape, &aim);
    if (!is && shape->width == 4 && !WL_MASKED(WL_KERNEL_permute_tile4_both_wide)) {
        aim.threads = 2 * THREADS;
        aim.passes = 6;
        is = wl__permute_tile(tuned, plan, shape, &aim);
    }
    if (!is || plan->memory > 48 * 1024)
        return false;
    plan->cluster = plan->threads > THREADS ? 1 : cluster_for(tuned, plan);
    return true;
}

/* ---------------------------------------------------------------- what is tried */

#define CANDIDATES 512

struct candidate {
    uint64_t extent[WL_RANK_MAX];
    double cost;
};

struct candidates {
    const struct wl__tuned_permute *tuned;
    double (*cost)(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape,
                   const uint64_t *extent);
    unsigned count;
    struct candidate all[CANDIDATES];
};

static bool consider(struct candidates *tried, const struct wl__permute_shape *shape,
                     const uint64_t *extent) {
    struct candidate new = {{0}, tried->cost(tried->tuned, shape, extent)};
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

/* Also tries tiles of 2 to 4 such pieces in the next dimension of an array's order: they are not contiguous,
 * but close. */
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

/* The cheapest candidate left; NULL if there is none. */
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

bool wl__permute_plan_tiles(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                            const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    plan->sides.tiles.to = to;
    plan->sides.tiles.from = from;
    if (wl__permute_is_whole(tuned, shape) && plan_whole(tuned, plan, shape))
        return true;
    struct candidates tried = {.tuned = tuned, .cost = cost_of};
    const struct candidate *next;
    consider_all(&tried, shape);
    /* The cheapest that can be made; tiles of one element always can. */
    while ((next = next_best(&tried))) {
        struct wl__permute_aim aim = {{0}, MEMORY, THREADS, WL__PERMUTE_HELD};
        for (unsigned d = 0; d < shape->rank; d++)
            aim.extent[d] = next->extent[d];
        if (wl__permute_tile(tuned, plan, shape, &aim) && plan->memory <= 48 * 1024) {
            plan->cluster = cluster_for(tuned, plan);
            return true;
        }
    }
    return false;
}

/* As many blocks as keep enough in flight while one stores. */
static unsigned blocks_for(const struct wl__tuned_async *tuned, const struct wl__permute_plan *plan) {
    unsigned blocks = 1 + (tuned->in_flight + plan->memory / 2) / plan->memory;
    return blocks < tuned->blocks ? tuned->blocks : blocks;
}

bool wl__permute_plan_async(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                            const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    enum { TRIED = 16 };
    struct wl__permute_plan trial = {.sides = {.tiles = {.to = to, .from = from}}};
    struct candidates tried = {.tuned = tuned, .cost = async_cost_of};
    const struct candidate *next;
    unsigned made = 0;
    plan->cost = NO_COST;
    consider_all(&tried, shape);
    while (made < TRIED && (next = next_best(&tried))) {
        if (!wl__permute_async(tuned, &trial, shape, next->extent) || trial.memory > tuned->async.memory)
            continue;
        made++;
        trial.cost =
            async_cost_of(tuned, shape, next->extent) + async_cost_beyond(&tuned->async, &trial, shape);
        if (trial.cost < plan->cost)
            *plan = trial;
    }
    if (made == 0)
        return false;
    plan->blocks = blocks_for(&tuned->async, plan);
    plan->cluster = 2;
    return true;
}

/* ---------------------------------------------------------------- which kind of tiles */

/* Whether asynchronous loads are faster, whatever the estimate for tiles through registers.  They are for
 * bytes, which they transpose by words; for 2 bytes, if the input's rows begin anywhere, as others would
 * shift them (1.01 to 2.2 times as fast); and for 4 bytes, if rows are short in both arrays, or if three
 * dimensions are reversed and lines are whole. */
static bool suits_async(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape,
                        uint64_t from) {
    uint64_t in = shape->dim[0].size * shape->width, out = shape->dim[shape->by_out[0]].size * shape->width;
    bool reversed = shape->rank == 3 && shape->by_out[0] == 2 && shape->by_out[1] == 1;
    return shape->width == 1 ||
           (shape->width == 2 && tuned->async.torn_halves && (in | from) % WL_PERMUTE_ACCESS != 0) ||
           (shape->width == 4 && ((in < tuned->short_row && out < tuned->short_row) ||
                                  (reversed && in % WL_PERMUTE_LINE == 0 && in > 2 * WL_PERMUTE_LINE)));
}

/* 2-byte elements whose rows are up to half a vector, and become short runs of the output that lie next to
 * each other: registers' tiles are 1.09 to 1.24 times as fast, whatever the estimates. */
static bool is_woven(const struct wl__permute_shape *shape) {
    return shape->width == 2 && 2 * shape->dim[0].size * shape->width <= WL_PERMUTE_ACCESS &&
           shape->by_out[1] == 0 && shape->dim[shape->by_out[0]].size * shape->width <= 3 * WL_PERMUTE_ACCESS;
}

/* Bytes whose rows become columns of a vector.  Asynchronous tiles store these by halves of sectors: an H200
 * took 1.3 times as long as by registers' tiles (7x2048x10x16x7x32@240153; no other shape was timed by both).
 */
static bool has_half_sectors(const struct wl__permute_shape *shape) {
    return shape->width == 1 && shape->dim[0].out < WL_PERMUTE_SECTOR &&
           shape->dim[0].size >= WL_PERMUTE_ACCESS;
}

bool wl__permute_async_is_cheaper(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan,
                                  const struct wl__permute_shape *shape, uint64_t from) {
    if (is_woven(shape) || has_half_sectors(shape))
        return false;
    /* Some shapes of 2 and 4 bytes have no good tile. */
    if (suits_async(tuned, shape, from) && (shape->width == 1 || plan->cost <= tuned->async.most))
        return true;
    struct candidates tried = {.tuned = tuned, .cost = cost_of};
    consider_all(&tried, shape);
    const struct candidate *next = next_best(&tried);
    return next && cost_of(tuned, shape, next->extent) > plan->cost + tuned->async.margin;
}

bool wl__permute_is_slow(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan,
                         const struct wl__permute_shape *shape) {
    bool reversed = shape->rank > 3;
    for (unsigned i = 0; i < shape->rank; i++)
        reversed = reversed && shape->by_out[i] == shape->rank - 1 - i;
    if (shape->width == 1)
        return plan->cost > tuned->bulk.words.dear_async;
    return shape->width == 4 && plan->cost > (reversed ? tuned->async.dear_reversed : tuned->async.dear);
}
