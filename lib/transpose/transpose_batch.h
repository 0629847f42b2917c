/* Where the matrices of a batch lie, for the transposing kernels, and for the library, which fills it.
 *
 * A batch may have several dimensions, each with a distance of its own in both arrays: the other dimensions
 * of a permutation.  A matrix's number then has a digit for each.  The last digit has no limit. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_BATCH_H
#define WIDELOAD_KERNELS_TRANSPOSE_BATCH_H

#include "lib/cuda/divisor.h"

#define WL_BATCH_DIGITS 5 /* before the last one: as many as rank 8 leaves */

struct wl_batch_digit {
    struct wl_divisor size;
    uint64_t from, to; /* bytes from one matrix to the next */
};

struct wl_batch {
    uint64_t from, to; /* the same for the last digit */
    uint32_t digits;   /* before it */
    struct wl_batch_digit digit[WL_BATCH_DIGITS];
};

/* Bytes from the first matrix of each array to this one.  Without digits a number of 2^32 and more counts
 * too. */
WL_BOTH_SIDES void wl_find_matrix(const struct wl_batch *batch, uint64_t matrix, uint64_t *from,
                                  uint64_t *to) {
    *from = *to = 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (uint32_t i = 0; i < batch->digits; i++) {
        uint32_t index;
        matrix = wl_divide((uint32_t)matrix, batch->digit[i].size, &index);
        *from += index * batch->digit[i].from;
        *to += index * batch->digit[i].to;
    }
    *from += matrix * batch->from;
    *to += matrix * batch->to;
}

#endif
