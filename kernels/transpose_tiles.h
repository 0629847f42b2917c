/* What the tiled transposes are told, and where in it a block's tile lies: for the kernels, for the library,
 * which fills it, and for its test. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_TILES_H
#define WIDELOAD_KERNELS_TRANSPOSE_TILES_H

#include "divisor.h"
#include <stdbool.h>

/* Addresses.  For a kernel they are pointers: nvcc takes a parameter's pointers for ones to global memory,
 * where of an integer it would make generic ones, and slower accesses. */
#ifdef __CUDACC__
typedef const char *wl_source;
typedef char *wl_target;
#else
typedef uint64_t wl_source, wl_target;
#endif

/* Blocks are numbered over all matrices, one a tile.  In a matrix they go across a group of columns of tiles,
 * then across the tiles below, down to the last, and on to the next group: blocks that run at the same time
 * write, to their ends, the rows of the output that these columns are.  The first group may be narrower, so
 * that the others begin at certain addresses, and so may the last. */
struct wl_transpose_tiles {
    wl_source from; /* the first matrix */
    wl_target to;
    uint64_t rows, cols;
    uint64_t from_pitch, to_pitch;   /* bytes from a row to the next */
    uint64_t from_stride, to_stride; /* bytes from a matrix to the next */
    uint32_t tile_rows;              /* for kernels that leave them to the library */
    uint32_t tiles_down, tiles_across;
    uint32_t blocks;                       /* that have a tile: a grid of clusters may have more */
    uint32_t group, first_group;           /* columns of tiles: of all groups but the first, of that */
    struct wl_divisor by_matrix, by_group; /* of a block's number: tiles of a matrix, of a whole group */
    struct wl_divisor by_first, by_width,
        by_last; /* columns of tiles of the first, a whole and the last group */
};

struct wl_tile {
    wl_source from; /* its matrix */
    wl_target to;
    uint32_t down, across;
};

WL_BOTH_SIDES struct wl_tile wl_find_tile(const struct wl_transpose_tiles *all, uint32_t block) {
    uint32_t i, across, first = 0, matrix = wl_divide(block, all->by_matrix, &i);
    struct wl_divisor by_width = all->by_first;
    if (i >= all->first_group * all->tiles_down) {
        i -= all->first_group * all->tiles_down;
        first = all->first_group + wl_divide(i, all->by_group, &i) * all->group;
        by_width = all->tiles_across - first < all->group ? all->by_last : all->by_width;
    }
    struct wl_tile tile;
    tile.down = wl_divide(i, by_width, &across);
    tile.across = first + across;
    tile.from = all->from + matrix * all->from_stride;
    tile.to = all->to + matrix * all->to_stride;
    return tile;
}

#endif
