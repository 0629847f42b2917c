/* Where a permutation takes its elements from. */
#ifndef WIDELOAD_TESTS_PERMUTED_SOURCE_H
#define WIDELOAD_TESTS_PERMUTED_SOURCE_H

#include "wideload.h"

/* The input index of output element i. */
static inline uint64_t permuted_source(unsigned rank, const uint64_t *sizes, const unsigned *order,
                                       uint64_t i) {
    uint64_t stride[WL_RANK_MAX], at = 0, step = 1;
    for (unsigned d = rank; d-- > 0; step *= sizes[d])
        stride[d] = step;
    for (unsigned k = rank; k-- > 0;) {
        unsigned d = order[k];
        at += i % sizes[d] * stride[d];
        i /= sizes[d];
    }
    return at;
}

#endif
