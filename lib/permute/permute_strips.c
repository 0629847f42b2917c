#include "lib/permute/permute_strips.h"

#include "lib/permute/permute_plan.h"

#define BESIDE  (2 * WL_PERMUTE_ACCESS + WL_PERMUTE_LINE)
#define THREADS 384
#define BARRIER 8 /* bytes */
/* So many times the fewest wavefronts are worth it that loads leave their places within lines. */
#define CONFLICTS 2

/* Whether other kernels are slower for rows of so many bytes, by their words. */
static bool suits(const struct wl__tuned_strips *tuned, unsigned width, uint64_t bytes) {
    return width <= 8 && bytes >= tuned->least[__builtin_ctz(width)] &&
           bytes <= tuned->most[__builtin_ctz(width)];
}

/* A shape whose elements are the rows. */
static void rows_of(struct wl__permute_shape *rows, const struct wl__permute_shape *shape) {
    uint64_t row = shape->dim[0].size;
    *rows = (struct wl__permute_shape){.width = shape->width * (unsigned)row, .rank = shape->rank - 1};
    for (unsigned d = 0; d < rows->rank; d++) {
        rows->dim[d].size = shape->dim[d + 1].size;
        rows->dim[d].in = shape->dim[d + 1].in / row;
        rows->dim[d].out = shape->dim[d + 1].out / row;
        rows->by_out[d] = shape->by_out[d + 1] - 1;
    }
}

struct tile {
    uint64_t loads, step, runs, pitch;
};

/* Wavefronts of a load of 8 bytes by a warp whose lanes take a run's vectors, if loads are so many bytes
 * apart in shared memory: half a warp's words take one if each has banks of its own. */
static unsigned wavefronts(uint64_t apart, uint64_t bytes) {
    enum { HALF = 16, WORD = 8 };
    unsigned sum = 0;
    for (unsigned begin = 0; begin < 2 * HALF; begin += HALF) {
        unsigned in_bank[HALF] = {0}, worst = 0;
        for (unsigned lane = begin; lane < begin + HALF; lane++) {
            const uint64_t x = (uint64_t)lane * WL_PERMUTE_ACCESS;
            unsigned *bank = &in_bank[(x / bytes * apart + x % bytes) / WORD % HALF];
            if (++*bank > worst)
                worst = *bank;
        }
        sum += worst;
    }
    return sum;
}

/* Bytes within a line from load to load in shared memory.  Loads take fewer requests at their source's place
 * within lines; where lanes would then want the same banks, only their place within vectors is kept. */
static uint64_t past_line(uint64_t in, uint64_t bytes) {
    const uint64_t kept = in % WL_PERMUTE_LINE;
    const unsigned now = wavefronts(kept, bytes);
    unsigned least = now;
    uint64_t best = kept;
    for (uint64_t apart = in % WL_PERMUTE_ACCESS; apart < WL_PERMUTE_LINE; apart += WL_PERMUTE_ACCESS) {
        const unsigned waves = wavefronts(apart, bytes);
        if (waves < least) {
            least = waves;
            best = apart;
        }
    }
    return now > CONFLICTS * least ? best : kept;
}

/* Chooses the tile of least estimated cost beyond a copy.  Costs are the overlap of tiles and their uneven
 * shares, sectors at the ends of loads, and too few bytes in flight. */
static bool choose(const struct wl__tuned_strips *tuned, struct tile *best,
                   const struct wl__permute_shape *rows, uint64_t bytes) {
    const unsigned last = rows->by_out[0];
    const uint64_t along = rows->dim[0].size, size = rows->dim[last].size,
                   apart = past_line(rows->dim[last].in * bytes, bytes);
    /* Each tile has whole sectors of its runs; the rest goes to the next tile. */
    const uint64_t shared = (WL_PERMUTE_SECTOR - 2 + bytes) / bytes;
    double least = 1;
    if (along * bytes < tuned->load || size * bytes < tuned->run || along * bytes * size < tuned->small)
        return false;
    for (uint64_t most = tuned->longest / bytes; most > 0 && most * bytes >= tuned->load;
         most -= 1 + most / 16) {
        const uint64_t across = wl__divide_up(along, most);
        struct tile tile = {.runs = wl__divide_up(along, across)};
        const uint64_t load = tile.runs * bytes, room = load + 2 * WL_PERMUTE_ACCESS,
                       fit = (tuned->memory - 2 * BESIDE) /
                             (tile.pitch = room + (apart - room) % WL_PERMUTE_LINE);
        if (fit < size && fit < 2 * shared)
            continue;
        const uint64_t down = fit < size ? wl__divide_up(size - shared, fit - shared) : 1;
        tile.loads = down > 1 ? wl__divide_up(size - shared, down) + shared : size;
        tile.step = down > 1 ? tile.loads - shared : size;
        const double all = (double)(tile.loads * load), full = tuned->full;
        const double cost = (double)(across * tile.runs) / (double)along +
                            (double)(down * tile.loads) / (double)size - 2 + tuned->ends / (double)load +
                            (all < full ? tuned->idle * (full - all) / full : 0);
        if (all >= tuned->small && cost < least) {
            least = cost;
            *best = tile;
        }
    }
    return least < 1;
}

bool wl__permute_plan_strips(const struct wl__tuned_permute *permute, struct wl__permute_strips_plan *plan,
                             const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    const struct wl__tuned_strips *tuned = &permute->strips;
    const uint64_t bytes = shape->dim[0].size * shape->width;
    if (shape->rank < 3 || !suits(tuned, shape->width, bytes))
        return false;
    struct wl__permute_shape rows;
    rows_of(&rows, shape);
    const unsigned last = rows.by_out[0];
    struct tile tile = {0};
    if (!choose(tuned, &tile, &rows, bytes))
        return false;
    const uint64_t load = tile.runs * bytes;
    uint64_t extent[WL_RANK_MAX], step[WL_RANK_MAX];
    for (unsigned d = 0; d < rows.rank; d++)
        extent[d] = step[d] = 1;
    extent[0] = step[0] = tile.runs;
    extent[last] = tile.loads;
    step[last] = tile.step;

    struct wl_permute_strips *strips = &plan->strips;
    strips->row_bytes = wl_divisor(bytes);
    strips->loads = (uint32_t)tile.loads;
    strips->load = (uint32_t)load;
    strips->pitch = (uint32_t)tile.pitch;
    strips->in = rows.dim[last].in * bytes;
    strips->runs = (uint32_t)tile.runs;
    strips->run = (uint32_t)(tile.loads * bytes);
    strips->out = rows.dim[0].out * bytes;
    const uint32_t vectors = strips->run / WL_PERMUTE_SECTOR * 2;
    strips->vectors = wl_divisor(vectors);
    strips->next_run = THREADS / vectors;
    strips->next_vector = THREADS % vectors;
    /* Rows are read up to the end of the vector behind them. */
    const uint32_t end = WL_PERMUTE_LINE + strips->loads * strips->pitch + 2 * WL_PERMUTE_ACCESS;
    strips->barrier = (end + BARRIER - 1) / BARRIER * BARRIER;
    strips->tiles.to = to;
    strips->tiles.from = from;
    plan->memory = strips->barrier + BARRIER;
    plan->threads = THREADS;
    plan->cluster = 2;
    return wl__permute_number(permute, &strips->tiles, &rows, extent, step, WL_PERMUTE_PAIRS);
}
