/* What the tiled transposes are told, and where in it a block's tile lies: for the kernels, for the library,
 * which fills it, and for its test. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_TILES_H
#define WIDELOAD_KERNELS_TRANSPOSE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define WL_TILES_FUNCTION static __device__ __forceinline__
#else
#define WL_TILES_FUNCTION static inline
#endif

/* Division by a number that the host knows, for dividends below 2^31: (n * factor) >> shift. */
struct wl_divisor {
    uint32_t factor, shift;
};

/* Blocks are numbered over all matrices, one a tile.  In a matrix they walk down the columns of a band of
 * `band` rows of tiles, then down the next column: blocks that run at the same time lie in a rectangle about
 * as high as wide, and so both the rows that they read and the rows that they write are long. */
struct wl_transpose_tiles {
    uint64_t from, to; /* addresses of the first matrix */
    uint64_t rows, cols;
    uint64_t from_pitch, to_pitch;   /* bytes from a row to the next */
    uint64_t from_stride, to_stride; /* bytes from a matrix to the next */
    uint32_t tiles_down, tiles_across;
    uint32_t band;                        /* 1 to tiles_down */
    struct wl_divisor by_matrix, by_band; /* of a block's number: tiles of a matrix, of a whole band */
    struct wl_divisor by_height, by_last; /* of its number in a band: rows of tiles of it, of the last */
};

struct wl_tile {
    uint64_t from, to; /* addresses of its matrix */
    uint32_t down, across;
};

WL_TILES_FUNCTION uint32_t wl_divide(uint32_t n, struct wl_divisor by) {
    return (uint32_t)(((uint64_t)n * by.factor) >> by.shift);
}

WL_TILES_FUNCTION struct wl_tile wl_find_tile(const struct wl_transpose_tiles *all, uint32_t block) {
    uint32_t matrix = wl_divide(block, all->by_matrix);
    uint32_t i = block - matrix * (all->tiles_down * all->tiles_across);
    uint32_t band = wl_divide(i, all->by_band);
    i -= band * (all->band * all->tiles_across);
    uint32_t down = band * all->band, height = all->tiles_down - down;
    bool last = height < all->band;
    height = last ? height : all->band;
    struct wl_tile tile;
    tile.across = wl_divide(i, last ? all->by_last : all->by_height);
    tile.down = down + i - tile.across * height;
    tile.from = all->from + matrix * all->from_stride;
    tile.to = all->to + matrix * all->to_stride;
    return tile;
}

#endif
