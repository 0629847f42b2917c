/* Loads part of an array that a kernel permutes through tiles into shared memory. */
#ifndef WIDELOAD_KERNELS_PERMUTE_WINDOW_CUH
#define WIDELOAD_KERNELS_PERMUTE_WINDOW_CUH

#include "lib/cuda/bulk.cuh"
#include "lib/cuda/element.cuh"
#include "lib/permute/permute.h"

/* Loads the window of whole 16 bytes around part of the array to a place in shared memory; returns the bytes
 * in flight.  If 16 bytes at either end are not wholly the array's, their elements are loaded singly: one
 * thread that loaded a whole row so would keep all others waiting for hundreds of microseconds. */
static __device__ __forceinline__ uint32_t wl_load_window(const struct wl_permute_tiles &tiles,
                                                          unsigned char *to, uint64_t from, uint32_t bytes,
                                                          wl_barrier *barrier) {
    const uint64_t whole = ~(uint64_t)(WL_PERMUTE_ACCESS - 1);
    uint64_t first = from & whole, end = from + bytes, last = (end + WL_PERMUTE_ACCESS - 1) & whole;
    if (first < tiles.from) {
        first += WL_PERMUTE_ACCESS;
        for (uint64_t at = from; at < first && at < end; at += WL_WIDTH)
            *(wl_element *)(to + (at - from)) = *(const wl_element *)at;
    }
    if (last > tiles.from + tiles.bytes) {
        last -= WL_PERMUTE_ACCESS;
        for (uint64_t at = last > from ? last : from; at < end; at += WL_WIDTH)
            *(wl_element *)(to + (at - from)) = *(const wl_element *)at;
    }
    if (last <= first)
        return 0;
    wl_bulk_load_once(to + (int64_t)(first - from), (const void *)first, (uint32_t)(last - first), barrier);
    return (uint32_t)(last - first);
}

#endif
