/* The row of an entry, from the rows' starts. */
#ifndef WIDELOAD_LADDER_ROW_OF_CUH
#define WIDELOAD_LADDER_ROW_OF_CUH

#include <stdint.h>

/* The row r in [low, high) with starts[r] <= entry < starts[r + 1]; there must be one. */
static __device__ __forceinline__ unsigned wl_row_of(const uint32_t *__restrict__ starts, unsigned low,
                                                     unsigned high, uint32_t entry) {
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (starts[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
