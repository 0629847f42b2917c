/* A block's prefix sum. */
#ifndef WIDELOAD_LADDER_PREFIX_CUH
#define WIDELOAD_LADDER_PREFIX_CUH

#include <stdint.h>

/* Returns the sum of the values of all threads before this one; *total is the sum of all.  warps: of the
 * block.  warp_sums: as many words of shared memory.  Contains two barriers. */
static __device__ __forceinline__ uint32_t wl_block_prefix(uint32_t value, unsigned warps,
                                                           uint32_t *warp_sums, uint32_t *total) {
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    uint32_t inclusive = value;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffffu, inclusive, distance);
        if (lane >= distance)
            inclusive += other;
    }
    if (lane == 31)
        warp_sums[warp] = inclusive;
    __syncthreads();
    uint32_t before = 0, all = 0;
#pragma unroll
    for (unsigned w = 0; w < warps; w++) {
        if (w == warp)
            before = all;
        all += warp_sums[w];
    }
    *total = all;
    __syncthreads();
    return before + inclusive - value;
}

#endif
