#include "lib/permute_strips.h"

#include "lib/permute_plan.h"

#define MEMORY  (48 * 1024) /* a block's, at most: four fit a multiprocessor, and leave it some L1 */
#define SMALL   (24 * 1024) /* of a tile, which keeps too little under way */
#define THREADS 384
#define LOADS   26  /* of a tile, about */
#define LOAD    192 /* bytes that must lie side by side in the input */
#define RUN     448 /* and in the output, at whose ends parts of sectors are written */
#define MOST    560 /* bytes of a row: longer ones are as fast one by one */
#define BARRIER 8   /* bytes */

/* Bytes of rows that other kernels are slower with, by their words.  Those of a few bytes go as one element
 * of the tiles of permute_narrow.cu, and long ones of words of 8 bytes and more as words. */
static bool suits(unsigned width, uint64_t bytes) {
    static const uint64_t range[][2] = {{18, MOST}, {28, MOST}, {28, MOST}, {48, 80}};
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

bool wl__permute_plan_strips(struct wl__permute_strips_plan *plan, const struct wl__permute_shape *shape,
                             uint64_t to, uint64_t from) {
    const uint64_t bytes = shape->dim[0].size * shape->width;
    if (shape->rank < 3 || !suits(shape->width, bytes))
        return false;
    struct wl__permute_shape rows;
    rows_of(&rows, shape);
    const unsigned last = rows.by_out[0];
    const uint64_t size = rows.dim[last].size, in = rows.dim[last].in * bytes;
    if (rows.dim[0].size * bytes < LOAD || size * bytes < RUN)
        return false;
    /* Loads as long as some 32 of them can be, and then as many as there is memory for. */
    const uint64_t some = size < LOADS ? size : LOADS, beside = 2 * WL_PERMUTE_ACCESS + WL_PERMUTE_LINE;
    const uint64_t each = (MEMORY - 2 * beside) / some,
                   most = each > beside + bytes ? (each - beside) / bytes : 1;
    const uint64_t runs = wl__divide_up(rows.dim[0].size, wl__divide_up(rows.dim[0].size, most));
    const uint64_t load = runs * bytes, least = load + 2 * WL_PERMUTE_ACCESS,
                   pitch = least + (in - least) % WL_PERMUTE_LINE, fit = (MEMORY - 2 * beside) / pitch;
    /* Tiles overlap, so that of each run they have whole sectors, and the next one what is over. */
    const uint64_t shared = (WL_PERMUTE_SECTOR - 2 + bytes) / bytes;
    if (fit < size && fit < 2 * shared)
        return false;
    const uint64_t loads =
        fit < size ? wl__divide_up(size - shared, wl__divide_up(size - shared, fit - shared)) + shared : size;
    if (loads * load < SMALL)
        return false;
    uint64_t extent[WL_RANK_MAX], step[WL_RANK_MAX];
    for (unsigned d = 0; d < rows.rank; d++)
        extent[d] = step[d] = 1;
    extent[0] = step[0] = runs;
    extent[last] = loads;
    step[last] = loads < size ? loads - shared : loads;

    struct wl_permute_strips *strips = &plan->strips;
    strips->row_bytes = wl_divisor(bytes);
    strips->loads = (uint32_t)loads;
    strips->load = (uint32_t)load;
    strips->pitch = (uint32_t)pitch;
    strips->in = in;
    strips->runs = (uint32_t)runs;
    strips->run = (uint32_t)(loads * bytes);
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
