/* Where the matrices of a batch lie, for the kernels that transpose them, and for the library, which fills
 * it.
 *
 * A batch may have several dimensions, each with a distance of its own in both arrays: the other dimensions
 * of a permutation.  A matrix's number then has a digit for each.  These are all digits but the last, which
 * has no limit, and whose distances kernels have by themselves. */
#ifndef WIDELOAD_KERNELS_BATCH_H
#define WIDELOAD_KERNELS_BATCH_H

#include "lib/cuda/divisor.h"

#define WL_BATCH_DIGITS 5 /* as many as rank 8 leaves */

struct wl_batch_digit {
    struct wl_divisor size;
    uint64_t from, to; /* bytes from one matrix to the next */
};

struct wl_batch {
    uint32_t digits;
    struct wl_batch_digit digit[WL_BATCH_DIGITS];
};

/* Bytes that a matrix's digits make in each array.  Returns the last digit. */
WL_BOTH_SIDES uint32_t wl_find_matrix(const struct wl_batch *batch, uint32_t matrix, uint64_t *from,
                                      uint64_t *to) {
    *from = *to = 0;
    /* Unrolled, it would take registers that transposes without digits lack. */
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (uint32_t i = 0; i < batch->digits; i++) {
        uint32_t index;
        matrix = wl_divide(matrix, batch->digit[i].size, &index);
        *from += index * batch->digit[i].from;
        *to += index * batch->digit[i].to;
    }
    return matrix;
}

#endif
