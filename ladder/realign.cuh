/* Shifted input, aligned accesses: c[i] = a[i] + b[i] where a, b and c have different alignments.
 *
 * Each thread computes one aligned 16-byte vector of c.  Its four inputs begin `shift` elements (0 to 3) into
 * an aligned vector of a, and continue in the next one.  That vector is the neighbouring lane's own, so it
 * comes by shuffle; only a warp's last lane loads a second vector.  A warp's loads of an array are a request
 * of 16 sectors (17 if the vectors begin in the middle of one) and a request of one.
 *
 * The host starts the body at a 128-byte line of c, so that no sector of c is written partially, and where
 * whole vectors are inside the arrays: only elements that the operation names are read.  Threads after the
 * body handle the few elements at both ends.
 */
#ifndef WIDELOAD_KERNELS_REALIGN_CUH
#define WIDELOAD_KERNELS_REALIGN_CUH

#include "lib/cuda/index.cuh"

/* Returns four of the eight elements (low, high), from number shift on. */
static __device__ __forceinline__ float4 wl_window(float4 low, float4 high, unsigned shift) {
    if (shift & 2) {
        low = make_float4(low.z, low.w, high.x, high.y);
        high.x = high.z;
    }
    if (shift & 1)
        low = make_float4(low.y, low.z, low.w, high.x);
    return low;
}

/* Elements shift.. of vectors v and v + 1.  All threads of the warp must call it together, including those
 * without a vector.  shift must be the same for all. */
static __device__ __forceinline__ float4 wl_load_shifted(const float4 *__restrict__ aligned, uint64_t v,
                                                         uint64_t vectors, unsigned shift) {
    float4 low = make_float4(0, 0, 0, 0);
    if (shift == 0) {
        if (v < vectors)
            low = aligned[v];
        return low;
    }
    /* The block size need not be a multiple of 32 threads: the last warp may be partial. */
    unsigned lanes = min(32u, blockDim.x - (threadIdx.x & ~31u));
    unsigned everyone = 0xffffffffu >> (32 - lanes);
    if (v <= vectors)
        low = aligned[v];
    float4 high;
    high.x = __shfl_down_sync(everyone, low.x, 1);
    high.y = __shfl_down_sync(everyone, low.y, 1);
    high.z = __shfl_down_sync(everyone, low.z, 1);
    high.w = 0;
    if ((threadIdx.x & 31) == lanes - 1 && v < vectors)
        high = aligned[v + 1];
    return wl_window(low, high, shift);
}

static __device__ __forceinline__ void wl_add_realigned(float *__restrict__ c, const float *__restrict__ a,
                                                        const float *__restrict__ b, uint64_t count,
                                                        uint64_t head, uint64_t vectors, unsigned shift_a,
                                                        unsigned shift_b, uint64_t first) {
    uint64_t i = wl_index(first);
    float4 x = wl_load_shifted((const float4 *)(a + head - shift_a), i, vectors, shift_a);
    float4 y = wl_load_shifted((const float4 *)(b + head - shift_b), i, vectors, shift_b);
    if (i < vectors) {
        ((float4 *)(c + head))[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else if (i - vectors < count - 4 * vectors) {
        uint64_t e = wl_edge(i - vectors, head, 4 * vectors);
        c[e] = a[e] + b[e];
    }
}

#endif
