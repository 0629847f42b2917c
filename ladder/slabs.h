/* Launches over a matrix, split into slabs if the grid would be too large. */
#ifndef WIDELOAD_LIB_SLABS_H
#define WIDELOAD_LIB_SLABS_H

#include "lib/launch.h"

/* A grid of blocks over width x height items.  Each launch gets one slab of it. */
struct wl__slabs {
    uint64_t width, height;    /* items in x and y */
    uint32_t tile_x, tile_y;   /* items per block in x and y */
    uint32_t x_limit, y_limit; /* maximum blocks per launch */
    /* State: the current slab and the grid that covers it; x + slab_width <= width. */
    uint64_t x, y;
    uint32_t slab_width, slab_height, grid_x, grid_y;
};

/* Starts with the first slab.  Coordinates in a slab stay below 2^31, so kernels may compute them in 32 bits,
 * and below x_limit and y_limit blocks. */
void wl__slabs_start(struct wl__slabs *slabs, uint64_t width, uint64_t height, uint32_t tile_x,
                     uint32_t tile_y, uint32_t x_limit, uint32_t y_limit);
/* Whether there is a current slab; wl__slabs_next then moves to the next one. */
bool wl__slabs_more(const struct wl__slabs *slabs);
void wl__slabs_next(struct wl__slabs *slabs);

#endif
