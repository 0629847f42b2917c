/* For sort.cu: the places of a tile's entries if they are sorted by their digits. */
#ifndef WIDELOAD_LIB_SORT_RANK_CUH
#define WIDELOAD_LIB_SORT_RANK_CUH

#include "lib/sparse/sort_rows.cuh"

#define WL_WARPS (WL_THREADS / 32)

/* Leaves of `peers` the lanes whose digits have the same bit. */
static __device__ __forceinline__ void wl_same_bit(uint32_t &peers, uint32_t digit, uint32_t bit) {
    asm volatile("{\n.reg .pred set;\n.reg .b32 lanes;\n"
                 "and.b32 lanes, %1, %2;\nsetp.ne.u32 set, lanes, 0;\nvote.sync.ballot.b32 lanes, set, -1;\n"
                 "@!set not.b32 lanes, lanes;\nand.b32 %0, %0, lanes;\n}"
                 : "+r"(peers)
                 : "r"(digit), "r"(1u << bit));
}

/* Notes of each entry its digit, and below that how many entries of the same digit are before it in its warp.
 * own: the warp's counts of each bin, which are 0 and become how many it has.  bits: at least the digit's. */
template <uint32_t bits>
static __device__ __forceinline__ void wl_rank(const uint32_t keys[WL_EACH], uint32_t shift, uint32_t mask,
                                               uint16_t *own, uint32_t places[WL_EACH]) {
    const uint32_t below = (1u << threadIdx.x % 32) - 1;
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++) {
        uint32_t key = keys[i];
        asm volatile("" : "+r"(key)); /* digits in advance would take registers */
        const uint32_t digit = key >> shift & mask;
        uint32_t peers = WL_EVERY;
#pragma unroll
        for (uint32_t bit = 0; bit < bits; bit++)
            wl_same_bit(peers, digit, bit);
        const uint32_t before = own[digit], lower = __popc(peers & below);
        __syncwarp();
        if (lower == 0)
            own[digit] = (uint16_t)(before + __popc(peers));
        __syncwarp();
        places[i] = (digit << 16) + before + lower;
    }
}

/* Makes of each warp's counts where its entries of a bin go in the tile, and subtracts from `goes` where the
 * bin begins there.  A thread has four bins next to each other, as numbers of 16 bits: no sum exceeds the
 * tile. */
template <typename wl_place_type>
static __device__ __forceinline__ void wl_add_warps(uint16_t *counts, wl_place_type *goes, uint32_t bits,
                                                    uint32_t *sums) {
    const uint32_t groups = (1u << bits) / 4;
    uint32_t carry = 0;
    for (uint32_t from = 0; from < groups; from += WL_THREADS) {
        const uint32_t group = from + threadIdx.x;
        const bool mine = group < groups;
        uint2 *count = (uint2 *)counts + group;
        uint32_t low = 0, high = 0;
        if (mine)
#pragma unroll
            for (uint32_t warp = 0; warp < WL_WARPS; warp++) {
                const uint2 four = count[warp * groups];
                low += four.x;
                high += four.y;
            }
        const uint32_t a = low & 0xffff, b = a + (low >> 16), c = b + (high & 0xffff), d = c + (high >> 16);
        const uint32_t start = wl_sum_before<WL_WARPS>(d, sums, carry);
        if (mine) {
            low = start | start + a << 16;
            high = start + b | start + c << 16;
            goes[4 * group] -= start;
            goes[4 * group + 1] -= start + a;
            goes[4 * group + 2] -= start + b;
            goes[4 * group + 3] -= start + c;
#pragma unroll
            for (uint32_t warp = 0; warp < WL_WARPS; warp++) {
                const uint2 four = count[warp * groups];
                count[warp * groups] = make_uint2(low, high);
                low += four.x;
                high += four.y;
            }
        }
        __syncthreads();
    }
}

#endif
