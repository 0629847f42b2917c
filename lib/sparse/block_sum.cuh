/* Sums over a block's threads, for the kernels that sort and those that transpose by ranges. */
#ifndef WIDELOAD_LIB_BLOCK_SUM_CUH
#define WIDELOAD_LIB_BLOCK_SUM_CUH

#include <stdint.h>

#define WL_EVERY 0xffffffffu

/* The exclusive sum of a number over the threads of the block's warps; the sum of all is added to `carry`
 * before the next call.  sums: a word of each warp, which the caller's next barrier frees. */
template <uint32_t warps>
static __device__ __forceinline__ uint32_t wl_sum_before(uint32_t value, uint32_t *sums, uint32_t &carry) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t sum = value;
#pragma unroll
    for (uint32_t apart = 1; apart < 32; apart *= 2) {
        const uint32_t other = __shfl_up_sync(WL_EVERY, sum, apart);
        sum += lane >= apart ? other : 0;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    uint32_t before = lane < warps ? sums[lane] : 0, all = before;
    before = lane < warp ? before : 0;
#pragma unroll
    for (uint32_t apart = 16; apart; apart /= 2) {
        before += __shfl_xor_sync(WL_EVERY, before, apart);
        all += __shfl_xor_sync(WL_EVERY, all, apart);
    }
    const uint32_t carried = carry;
    carry += all;
    return carried + before + sum - value;
}

#endif
