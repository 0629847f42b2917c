/* What the host tells the kernels of copy_strided.cu: plain C that both sides include. */
#ifndef WIDELOAD_KERNELS_STRIDED_H
#define WIDELOAD_KERNELS_STRIDED_H

#include "lib/cuda/divisor.h"

/* The dimensions of the problem, and one within an element. */
#define WL_STRIDED_RANK 9
/* Threads per block, and units that each moves. */
#define WL_STRIDED_THREADS 256
#define WL_STRIDED_EACH    4
/* A side of a tile, in units; rows of it that the threads of a block are. */
#define WL_STRIDED_TILE 32
#define WL_STRIDED_ROWS 8

/* Units lie at to + sum of index[i] * dim[i].to, in bytes, and likewise for from; dim[0] changes fastest.  By
 * elements: `items` is their number, less than 2^32 minus what a block takes, and `count` each dimension's
 * size. By tiles: `count` is a dimension's number of tiles, and dim[0] and dim[1] have these sizes. */
struct wl_strided {
    uint64_t to, from, sizes[2];
    uint32_t items, rank;
    struct {
        struct wl_divisor count;
        int64_t to, from;
    } dim[WL_STRIDED_RANK];
};

#endif
