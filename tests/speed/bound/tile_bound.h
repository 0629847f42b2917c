/* What the host tells tile_bound.cu: plain C that both sides include.
 *
 * A tile is a box of the array, as in lib/permute/permute.h.  A piece is what is contiguous of it in an
 * array. Pieces are numbered on each side, and a table has each one's distance from the tile's first byte
 * there. */
#ifndef WIDELOAD_TESTS_TILE_BOUND_H
#define WIDELOAD_TESTS_TILE_BOUND_H

#include "lib/permute/permute.h"

#define WL_BOUND_THREADS 256

struct wl_bound_side {
    uint64_t table;         /* address of the distances, 4 bytes each */
    uint32_t pieces, bytes; /* of a tile; of a piece */
    uint32_t lanes;         /* log2 of the lanes that share a piece */
    uint32_t pitch;         /* vectors of 16 bytes in shared memory from piece to piece */
    uint32_t phase;         /* pieces keep their places in so many bytes: 16 or a line */
};

struct wl_tile_bound {
    struct wl_permute_tiles tiles;
    struct wl_bound_side in, out;
    uint32_t stored; /* vectors in shared memory that are stored from: a power of two */
};

#endif
