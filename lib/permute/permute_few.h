/* The parameters of permute_few.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_PERMUTE_FEW_H
#define WIDELOAD_KERNELS_PERMUTE_FEW_H

#include "lib/transpose/transpose_tiles.h"

#define WL_PERMUTE_FEW_LIMIT   8 /* streams: a thread holds a vector of each */
#define WL_PERMUTE_FEW_THREADS 128

/* On one side matrices are a few streams of whole vectors, at any distance.  On the other side they are
 * structures, and the whole array is contiguous. */
struct wl_permute_few {
    wl_source from; /* addresses, and all distances, are multiples of 16 */
    wl_target to;
    uint64_t pitch;                  /* bytes from one stream to the next */
    uint64_t hint;                   /* of loads: lib/cuda/hints.h */
    uint32_t vectors;                /* of one stream, in all matrices */
    struct wl_divisor by_stream;     /* in one */
    uint64_t from_stride, to_stride; /* bytes from one matrix to the next, by the last digit */
    struct wl_batch batch; /* in the order of the structures, on whose side distances are not used */
};

#endif
