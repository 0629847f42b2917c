/* Element-wise add with WL_UNROLL accesses of WL_WIDTH elements a thread to each array, blockDim.x apart.
 * Compiled once for each of widths 1, 4 and unrolls 2, 4, 8, as WL_NAME.
 *
 * add.cu has the same with one access a thread; traffic and requests are those, by fewer threads.  Eight of 4
 * elements of both inputs are 64 registers, all that a thread of a block of 1024 can have, so that some of
 * those stores stand before the last loads.
 */
#include "lib/cuda/index.cuh"

#if WL_WIDTH == 4
typedef float4 wl_word;
static __device__ __forceinline__ wl_word wl_sum(wl_word a, wl_word b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
#else
typedef float wl_word;
static __device__ __forceinline__ wl_word wl_sum(wl_word a, wl_word b) {
    return a + b;
}
#endif

#if 2 * WL_WIDTH * WL_UNROLL > 16
#define WL_BLOCK WL_ANY_BLOCK_WIDE
#else
#define WL_BLOCK WL_ANY_BLOCK
#endif

/* The block's vectors are whole or the block is among the last: one test a block, so that the loads of a
 * whole block stand together. */
extern "C" __global__ void WL_BLOCK WL_NAME(float *__restrict__ c, const float *__restrict__ a,
                                            const float *__restrict__ b, uint64_t n, uint64_t head,
                                            uint64_t vectors, uint64_t first) {
    uint64_t block = wl_block_index(first, WL_UNROLL);
    wl_word *to = (wl_word *)(c + head) + block + threadIdx.x;
    const wl_word *x = (const wl_word *)(a + head) + block + threadIdx.x;
    const wl_word *y = (const wl_word *)(b + head) + block + threadIdx.x;
    if (block + WL_UNROLL * blockDim.x <= vectors) {
        wl_word xs[WL_UNROLL], ys[WL_UNROLL];
#pragma unroll
        for (unsigned j = 0; j < WL_UNROLL; j++) {
            xs[j] = x[j * blockDim.x];
            ys[j] = y[j * blockDim.x];
        }
#pragma unroll
        for (unsigned j = 0; j < WL_UNROLL; j++)
            to[j * blockDim.x] = wl_sum(xs[j], ys[j]);
        return;
    }
    for (unsigned j = 0; j < WL_UNROLL; j++) {
        uint64_t i = block + j * blockDim.x + threadIdx.x;
        if (i < vectors) {
            to[j * blockDim.x] = wl_sum(x[j * blockDim.x], y[j * blockDim.x]);
        } else if (i - vectors < n - WL_WIDTH * vectors) {
            uint64_t e = wl_edge(i - vectors, head, WL_WIDTH * vectors);
            c[e] = a[e] + b[e];
        }
    }
}
