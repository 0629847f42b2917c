/* A batch of matrices in several dimensions: the other dimensions of a permutation. */
#ifndef WIDELOAD_LIB_TRANSPOSE_BATCH_H
#define WIDELOAD_LIB_TRANSPOSE_BATCH_H

#include "lib/cuda/batch.h"
#include "wideload.h"

/* The dimensions before the last one, whose distances the layout's strides are.  The layout's batch counts
 * the matrices of all.  With digits they are fewer than 2^31. */
struct wl__digits {
    unsigned count;
    struct {
        uint64_t size, from, to; /* elements from one matrix to the next */
    } digit[WL_BATCH_DIGITS];
};

/* For a kernel. */
static inline struct wl_batch wl__batch_of(unsigned width, const struct wl__digits *digits) {
    struct wl_batch batch = {.digits = digits->count};
    for (unsigned i = 0; i < digits->count; i++)
        batch.digit[i] = (struct wl_batch_digit){wl_divisor(digits->digit[i].size),
                                                 width * digits->digit[i].from, width * digits->digit[i].to};
    return batch;
}

#endif
