/* Launches over a batch of matrices, one block per tile, split if a launch cannot have that many blocks. */
#ifndef WIDELOAD_LIB_TILES_H
#define WIDELOAD_LIB_TILES_H

#include "lib/context.h"
#include "lib/transpose/batch.h"
#include "lib/transpose/transpose_tiles.h"

/* A kernel's tile. */
struct wl__tile_shape {
    uint32_t rows, cols; /* of the input */
    uint32_t extra;      /* tiles begin up to so many rows before a multiple of `rows` */
    uint32_t
        pair; /* columns of tiles from one to another that blocks walk down with it, a power of two; or 0 */
    uint32_t band; /* rows of tiles that come before the next ones; 0 for all */
    uint32_t pad;  /* bytes between groups of rows in shared memory */
};

struct wl__tiles {
    struct wl__tile_shape shape;
    unsigned width;
    wl_devptr to, from;
    const wl_transpose_layout *layout;
    const struct wl__digits *digits;
    uint32_t limit;             /* blocks per launch */
    uint64_t rows, cols, batch; /* of a launch that is not the last in its direction */
    uint64_t row, col, matrix;  /* state: the place where the current launch begins */
};

/* Starts with the first launch.  The layout is complete (no 0 stands for a default), not empty, and outlives
 * the struct, as the digits do.  limit: blocks that a launch may have, at least 2 and below 2^31; with digits
 * enough for all tiles. */
void wl__tiles_start(struct wl__tiles *tiles, struct wl__tile_shape shape, unsigned width, wl_devptr to,
                     wl_devptr from, const wl_transpose_layout *layout, const struct wl__digits *digits,
                     uint32_t limit);
/* Whether there is a launch; if so, gives its parameters and moves on to the next one. */
bool wl__tiles_next(struct wl__tiles *tiles, struct wl_transpose_tiles *launch);

#endif
