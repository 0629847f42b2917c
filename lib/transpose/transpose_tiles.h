/* The parameters of the tiled transposes, and the place of a block's tile in them: for the kernels, for the
 * library, which fills them, and for its test. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_TILES_H
#define WIDELOAD_KERNELS_TRANSPOSE_TILES_H

#include "lib/cuda/batch.h"
#include <stdbool.h>

/* Addresses.  Kernels take pointers: nvcc assumes that a parameter's pointers are to global memory. From an
 * integer it would make generic ones, whose accesses are slower. */
#ifdef __CUDACC__
typedef const char *wl_source;
typedef char *wl_target;
#else
typedef uint64_t wl_source, wl_target;
#endif

/* Blocks are numbered over all matrices, one per tile.  In a matrix they go down a column of tiles, then on
 * to the next: blocks that run at the same time write whole rows of the output, which these columns are.
 *
 * A matrix may be cut into bands of `band` rows of tiles, one after the other.  Columns may also be walked
 * down in pairs, by turns: column c with column c + apart, for all pairs of a stretch of 2 * apart columns,
 * then the next stretch.  The first stretch begins `late` columns before the matrix.  If the first or last
 * stretch or the last band is not full, some blocks have no tile. */
struct wl_transpose_tiles {
    wl_source from; /* the first matrix */
    wl_target to;
    uint64_t rows, cols;
    uint64_t from_pitch, to_pitch;   /* bytes from one row to the next */
    uint64_t from_stride, to_stride; /* bytes from one matrix to the next, by the last digit */
    /* For kernels for which the library chooses them; the rows that a tile may begin early; and bytes between
     * groups of rows in shared memory. */
    uint32_t tile_rows, tile_extra, tile_pad;
    uint32_t tiles_down, tiles_across;
    uint32_t blocks;             /* in all matrices: a grid of clusters may have more */
    uint32_t band;               /* rows of tiles */
    uint32_t paired, apart;      /* 1 and a power of two, or 0 and 0 */
    uint32_t late;               /* columns of tiles */
    struct wl_divisor by_matrix; /* blocks per matrix */
    struct wl_divisor by_band;   /* per band */
    struct wl_divisor by_column; /* per column in it, or per pair */
    struct wl_batch batch;
};

struct wl_tile {
    wl_source from; /* its matrix */
    wl_target to;
    uint32_t down, across;
};

WL_BOTH_SIDES struct wl_tile wl_find_tile(const struct wl_transpose_tiles *all, uint32_t block) {
    struct wl_tile tile;
    uint32_t i, matrix = wl_divide(block, all->by_matrix, &i), band = wl_divide(i, all->by_band, &i);
    uint32_t column = wl_divide(i, all->by_column, &i);
    tile.down = band * all->band + (i >> all->paired);
    /* Pair c is column c plus the extra columns of earlier stretches. */
    tile.across = column + (column & (0 - all->apart)) + (i & all->paired) * all->apart - all->late;
    uint64_t from, to;
    matrix = wl_find_matrix(&all->batch, matrix, &from, &to);
    tile.from = all->from + from + matrix * all->from_stride;
    tile.to = all->to + to + matrix * all->to_stride;
    return tile;
}

/* Whether the tile exists.  (Columns before the matrix have very large numbers.) */
WL_BOTH_SIDES bool wl_is_tile(const struct wl_transpose_tiles *all, const struct wl_tile *tile) {
    return tile->down < all->tiles_down && tile->across < all->tiles_across;
}

/* What is left of a matrix from its tile's first row or column on, up to the tile's size. */
WL_BOTH_SIDES int wl_rest(uint64_t all, uint64_t first, int tile) {
    return all - first < (uint64_t)tile ? (int)(all - first) : tile;
}

#endif
