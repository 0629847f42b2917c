#include "lib/permute/permute_strips.h"

#include "lib/permute/permute_plan.h"

#define MEMORY  (48 * 1024) /* a block's, at most: four fit a multiprocessor, and leave it some L1 */
#define SMALL   (24 * 1024) /* of a tile, which keeps too little under way */
#define BESIDE  (2 * WL_PERMUTE_ACCESS + WL_PERMUTE_LINE)
#define THREADS 384
#define FULL    (40 * 1024.0)
#define LOAD    192  /* bytes that must lie side by side in the input */
#define LONGEST 8192 /* of them that a tile takes */
#define RUN     448  /* and in the output, at whose ends parts of sectors are written */
#define MOST    440  /* bytes of a row: longer ones are as fast one by one */
#define BARRIER 8    /* bytes */

/* Bytes of rows that other kernels are slower with, by their words.  Those of a few bytes go as one element
 * of the tiles of permute_narrow.cu, and long ones of words of 8 bytes and more as words. */
static bool suits(unsigned width, uint64_t bytes) {
    static const uint64_t range[][2] = {{9, MOST}, {28, MOST}, {28, MOST}, {48, 80}};
    return width <= 8 && bytes >= range[__builtin_ctz(width)][0] && bytes <= range[__builtin_ctz(width)][1];
}

/* The rows as elements. */
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

/* The tile that is thought to cost the least beyond a copy: for what tiles overlap and are larger than their
 * share, for sectors at the ends of loads, and for too little under way. */
static bool choose(struct tile *best, const struct wl__permute_shape *rows, uint64_t bytes) {
    const unsigned last = rows->by_out[0];
    const uint64_t along = rows->dim[0].size, size = rows->dim[last].size, in = rows->dim[last].in * bytes;
    /* Each tile has whole sectors of its runs, and what is over the next one. */
    const uint64_t shared = (WL_PERMUTE_SECTOR - 2 + bytes) / bytes;
    double least = 1;
    if (along * bytes < LOAD || size * bytes < RUN || along * bytes * size < SMALL)
        return false;
    for (uint64_t most = LONGEST / bytes; most > 0 && most * bytes >= LOAD; most -= 1 + most / 16) {
        const uint64_t across = wl__divide_up(along, most);
        struct tile tile = {.runs = wl__divide_up(along, across)};
        const uint64_t load = tile.runs * bytes, room = load + 2 * WL_PERMUTE_ACCESS,
                       fit = (MEMORY - 2 * BESIDE) / (tile.pitch = room + (in - room) % WL_PERMUTE_LINE);
        if (fit < size && fit < 2 * shared)
            continue;
        const uint64_t down = fit < size ? wl__divide_up(size - shared, fit - shared) : 1;
        tile.loads = down > 1 ? wl__divide_up(size - shared, down) + shared : size;
        tile.step = down > 1 ? tile.loads - shared : size;
        const double all = (double)(tile.loads * load), cost = (double)(across * tile.runs) / (double)along +
                                                               (double)(down * tile.loads) / (double)size -
                                                               2 + 48 / (double)load +
                                                               (all < FULL ? 0.15 * (FULL - all) / FULL : 0);
        if (all >= SMALL && cost < least) {
            least = cost;
            *best = tile;
        }
    }
    return least < 1;
}

bool wl__permute_plan_strips(struct wl__permute_strips_plan *plan, const struct wl__permute_shape *shape,
                             uint64_t to, uint64_t from) {
    const uint64_t bytes = shape->dim[0].size * shape->width;
    if (shape->rank < 3 || !suits(shape->width, bytes))
        return false;
    struct wl__permute_shape rows;
    rows_of(&rows, shape);
    const unsigned last = rows.by_out[0];
    struct tile tile = {0};
    if (!choose(&tile, &rows, bytes))
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
    /* Rows are looked at to the end of the vector behind them. */
    const uint32_t end = WL_PERMUTE_LINE + strips->loads * strips->pitch + 2 * WL_PERMUTE_ACCESS;
    strips->barrier = (end + BARRIER - 1) / BARRIER * BARRIER;
    strips->tiles.to = to;
    strips->tiles.from = from;
    plan->memory = strips->barrier + BARRIER;
    plan->threads = THREADS;
    plan->cluster = 2;
    return wl__permute_number(&strips->tiles, &rows, extent, step, WL_PERMUTE_ROWS);
}
