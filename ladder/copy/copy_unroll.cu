/* Copy with WL_UNROLL accesses of WL_WIDTH elements a thread, blockDim.x apart: all of a thread's loads are
 * in flight before its first store.  Compiled once for each of widths 1, 2, 4 and unrolls 2, 4, 8, as
 * WL_NAME.
 *
 * copy.cu has the same with one access a thread; traffic and requests are those, by fewer threads.
 */
#include "lib/cuda/index.cuh"

#if WL_WIDTH == 4
typedef uint4 wl_word;
#elif WL_WIDTH == 2
typedef uint2 wl_word;
#else
typedef uint32_t wl_word;
#endif

#if WL_WIDTH * WL_UNROLL > 16
#define WL_BLOCK WL_ANY_BLOCK_WIDE
#else
#define WL_BLOCK WL_ANY_BLOCK
#endif

/* The block's vectors are whole or the block is among the last: one test a block, so that the loads of a
 * whole block stand together. */
extern "C" __global__ void WL_BLOCK WL_NAME(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,
                                            uint64_t n, uint64_t head, uint64_t vectors, uint64_t first) {
    uint64_t block = wl_block_index(first, WL_UNROLL);
    wl_word *to = (wl_word *)(out + head) + block + threadIdx.x;
    const wl_word *from = (const wl_word *)(in + head) + block + threadIdx.x;
    if (block + WL_UNROLL * blockDim.x <= vectors) {
        wl_word moved[WL_UNROLL];
#pragma unroll
        for (unsigned j = 0; j < WL_UNROLL; j++)
            moved[j] = from[j * blockDim.x];
#pragma unroll
        for (unsigned j = 0; j < WL_UNROLL; j++)
            to[j * blockDim.x] = moved[j];
        return;
    }
    for (unsigned j = 0; j < WL_UNROLL; j++) {
        uint64_t i = block + j * blockDim.x + threadIdx.x;
        if (i < vectors) {
            to[j * blockDim.x] = from[j * blockDim.x];
        } else if (i - vectors < n - WL_WIDTH * vectors) {
            uint64_t e = wl_edge(i - vectors, head, WL_WIDTH * vectors);
            out[e] = in[e];
        }
    }
}
