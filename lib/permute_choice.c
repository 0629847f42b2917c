/* Which plan is thought the fastest. */
#include "lib/permute_plan.h"

#define THREADS 256
#define MEMORY  (44 * 1024) /* padding comes on top; a block may have 48 KB */

/* Tiles in the output's order finish what they write soonest, and that is best where what they read is long;
 * else neighbours in the input, which share 64 bytes of memory at the ends of their rows, should not be far
 * apart. */
static unsigned walk_for(unsigned in_run) {
    return in_run >= 250 ? 1 : 4;
}

/* Short runs through several dimensions that end within a line of 128 bytes: the rest of it is other tiles'.
 */
static double ragged(const uint64_t *extent, const struct wl__permute_shape *shape, bool by_out) {
    unsigned first = wl__permute_dim(shape, by_out, 0), run = wl__permute_run(extent, shape, by_out);
    return extent[first] == shape->dim[first].size && run < (by_out ? 192 : 256) && run % 128 != 0 ? 8.0 / run
                                                                                                   : 0;
}

/* What a tile is thought to cost, 1 being a copy: fitted to an H200's times of some thousand plans. */
static double cost_of(const struct wl__permute_shape *shape, const uint64_t *extent) {
    double traffic = 1, bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++) {
        bytes *= (double)extent[d];
        traffic *=
            (double)(wl__divide_up(shape->dim[d].size, extent[d]) * extent[d]) / (double)shape->dim[d].size;
    }
    if (bytes > MEMORY)
        return 1e30;
    double passes = bytes / (THREADS * WL_PERMUTE_ACCESS);
    double blocks = passes <= 4 ? 6 : passes <= 6 ? 5 : 4, fit = 220 * 1024 / (bytes + 1024);
    double in_flight = bytes * (blocks < fit ? blocks : fit);
    return traffic * (1 + 3.6 / wl__permute_run(extent, shape, false) +
                      11.8 / wl__permute_run(extent, shape, true) + ragged(extent, shape, false) +
                      ragged(extent, shape, true)) +
           0.085 * (1 - in_flight / (395 * 1024)) + 43 / bytes;
}

bool wl__permute_plan_tiles(struct wl__permute_plan *plan, const struct wl__permute_shape *shape, uint64_t to,
                            uint64_t from) {
    static const unsigned runs[] = {1, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    enum { RUNS = sizeof(runs) / sizeof(runs[0]) };
    double cost[RUNS][RUNS];
    for (unsigned i = 0; i < RUNS; i++)
        for (unsigned o = 0; o < RUNS; o++) {
            uint64_t extent[WL_RANK_MAX];
            wl__permute_extents(extent, shape, runs[i], runs[o]);
            cost[i][o] = cost_of(shape, extent);
        }
    plan->sides.tiles.to = to;
    plan->sides.tiles.from = from;
    /* The cheapest that can be made; of one element to a tile all can. */
    for (;;) {
        unsigned in = 0, out = 0;
        for (unsigned i = 0; i < RUNS; i++)
            for (unsigned o = 0; o < RUNS; o++)
                if (cost[i][o] < cost[in][out])
                    in = i, out = o;
        if (cost[in][out] >= 1e30)
            return false;
        cost[in][out] = 1e30;
        struct wl__permute_aim aim = {runs[in], runs[out], MEMORY, THREADS, WL_PERMUTE_PASSES, 1};
        uint64_t extent[WL_RANK_MAX];
        wl__permute_extents(extent, shape, aim.in_run, aim.out_run);
        aim.walk = walk_for(wl__permute_run(extent, shape, false));
        if (wl__permute_tile(plan, shape, &aim) && plan->memory <= 48 * 1024)
            return true;
    }
}
