/* For sort.cu and sums.cu: the row of an entry, by a search among the rows' starts. */
#ifndef WIDELOAD_LIB_SORT_SEARCH_CUH
#define WIDELOAD_LIB_SORT_SEARCH_CUH

#include "lib/cuda/global.cuh"
#include "lib/sparse/block_sum.cuh"
#include "lib/sparse/sort_parameters.h"

/* Whether nothing is left to do, as the result is there already. */
static __device__ __forceinline__ bool wl_is_done(uint64_t failed) {
    return failed && *(const uint32_t *)wl_global(failed) == 0;
}

static __device__ __forceinline__ uint64_t wl_index_at(uint64_t array, uint32_t bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)wl_global(array))[i] : ((const uint64_t *)wl_global(array))[i];
}

/* The last of the rows low to high - 1 that begins at `at` or before; the first one does. */
static __device__ __forceinline__ uint64_t wl_row_of(const struct wl_sort_rows &starts, uint64_t at,
                                                     uint64_t low, uint64_t high) {
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (wl_index_at(starts.array, starts.bytes, middle) <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
