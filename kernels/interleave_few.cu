/* exploration */
#include "index.cuh"
#include "interleave.h"

#if WL_WIDTH == 16
typedef uint4 wl_element;
#elif WL_WIDTH == 8
typedef uint2 wl_element;
#elif WL_WIDTH == 4
typedef uint32_t wl_element;
#elif WL_WIDTH == 2
typedef uint16_t wl_element;
#else
typedef uint8_t wl_element;
#endif
#define WL_EACH (16 / WL_WIDTH)
#define K WL_FIELDS
#define WL_JOIN2(a, b, c, d) wl_few_##a##_##b##_##c##_##d
#define WL_JOIN(a, b, c, d) WL_JOIN2(a, b, c, d)
#define WL_NAME(direction) WL_JOIN(direction, WL_WIDTH, WL_FIELDS, WL_STAGED)
#define ROW (K | 1)
#ifndef WL_THREADS
#define WL_THREADS 128
#endif

/* Byte b of an array of words. */
static __device__ __forceinline__ uint32_t word_of(const uint32_t *from, unsigned b0, unsigned b1, unsigned b2, unsigned b3) {
#if WL_WIDTH >= 4
    return from[b0 / 4];
#elif WL_WIDTH == 2
    return __byte_perm(from[b0 / 4], from[b2 / 4], (b0 % 4 ? 0x32 : 0x10) | (b2 % 4 ? 0x7600 : 0x5400));
#else
    uint32_t low = __byte_perm(from[b0 / 4], from[b1 / 4], b0 % 4 | (4 + b1 % 4) << 4);
    uint32_t high = __byte_perm(from[b2 / 4], from[b3 / 4], b2 % 4 | (4 + b3 % 4) << 4);
    return __byte_perm(low, high, 0x5410);
#endif
}

/* Where byte b of stream j's vector stands among the structures' bytes; and which stream's byte stands at byte b. */
#define AOS(j, b) (((b) / WL_WIDTH * K + (j)) * WL_WIDTH + (b) % WL_WIDTH)
#define SOA(b) ((b) / WL_WIDTH % K * 16 + (b) / WL_WIDTH / K * WL_WIDTH + (b) % WL_WIDTH)

extern "C" __global__ void __launch_bounds__(WL_THREADS) WL_NAME(deinterleave)(const __grid_constant__ struct wl_interleave_shape shape, uint64_t first) {
    uint64_t warp = first + (uint64_t)blockIdx.x * (WL_THREADS / 32) + threadIdx.x / 32;
    unsigned lane = threadIdx.x & 31;
    const uint64_t groups = shape.n / WL_EACH; /* whole */
    uint64_t group = warp * 32 + lane;
    const uint4 *from = (const uint4 *)shape.packed + warp * 32 * K;
    uint4 in[K];
#if WL_STAGED
    __shared__ uint4 stage[WL_THREADS / 32][32 * ROW];
    uint4 *mine = stage[threadIdx.x / 32];
    uint64_t left = groups > warp * 32 ? (groups - warp * 32) * K : 0;
#pragma unroll
    for (unsigned u = 0; u < K; u++)
        if (u * 32 + lane < left)
            in[u] = from[u * 32 + lane];
#pragma unroll
    for (unsigned u = 0; u < K; u++) {
        unsigned q = u * 32 + lane;
        mine[ROW == K ? q : q + q / K] = in[u];
    }
    __syncwarp();
#pragma unroll
    for (unsigned u = 0; u < K; u++)
        in[u] = mine[lane * ROW + u];
#else
    if (group < groups) {
#pragma unroll
        for (unsigned u = 0; u < K; u++)
            in[u] = from[lane * K + u];
    }
#endif
    if (group < groups) {
        const uint32_t *words = (const uint32_t *)in;
#pragma unroll
        for (unsigned j = 0; j < K; j++) {
            uint4 out;
            out.x = word_of(words, AOS(j, 0), AOS(j, 1), AOS(j, 2), AOS(j, 3));
            out.y = word_of(words, AOS(j, 4), AOS(j, 5), AOS(j, 6), AOS(j, 7));
            out.z = word_of(words, AOS(j, 8), AOS(j, 9), AOS(j, 10), AOS(j, 11));
            out.w = word_of(words, AOS(j, 12), AOS(j, 13), AOS(j, 14), AOS(j, 15));
            ((uint4 *)(shape.streams[0] + j * shape.stream_stride))[group] = out;
        }
    } else if (group == groups) {
        for (uint64_t i = groups * WL_EACH; i < shape.n; i++)
            for (unsigned j = 0; j < K; j++)
                ((wl_element *)(shape.streams[0] + j * shape.stream_stride))[i] = ((const wl_element *)shape.packed)[i * K + j];
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS) WL_NAME(interleave)(const __grid_constant__ struct wl_interleave_shape shape, uint64_t first) {
    uint64_t warp = first + (uint64_t)blockIdx.x * (WL_THREADS / 32) + threadIdx.x / 32;
    unsigned lane = threadIdx.x & 31;
    const uint64_t groups = shape.n / WL_EACH; /* whole */
    uint64_t group = warp * 32 + lane;
    uint4 *to = (uint4 *)shape.packed + warp * 32 * K;
    uint4 in[K], out[K];
    if (group < groups) {
#pragma unroll
        for (unsigned j = 0; j < K; j++)
            in[j] = ((const uint4 *)(shape.streams[0] + j * shape.stream_stride))[group];
    } else if (group == groups) {
        for (uint64_t i = groups * WL_EACH; i < shape.n; i++)
            for (unsigned j = 0; j < K; j++)
                ((wl_element *)shape.packed)[i * K + j] = ((const wl_element *)(shape.streams[0] + j * shape.stream_stride))[i];
    }
    const uint32_t *words = (const uint32_t *)in;
#pragma unroll
    for (unsigned u = 0; u < K; u++) {
#define B(i) SOA(16 * u + (i))
        out[u].x = word_of(words, B(0), B(1), B(2), B(3));
        out[u].y = word_of(words, B(4), B(5), B(6), B(7));
        out[u].z = word_of(words, B(8), B(9), B(10), B(11));
        out[u].w = word_of(words, B(12), B(13), B(14), B(15));
    }
#if WL_STAGED
    __shared__ uint4 stage[WL_THREADS / 32][32 * ROW];
    uint4 *mine = stage[threadIdx.x / 32];
    uint64_t left = groups > warp * 32 ? (groups - warp * 32) * K : 0;
#pragma unroll
    for (unsigned u = 0; u < K; u++)
        mine[lane * ROW + u] = out[u];
    __syncwarp();
#pragma unroll
    for (unsigned u = 0; u < K; u++) {
        unsigned q = u * 32 + lane;
        if (q < left)
            to[q] = mine[ROW == K ? q : q + q / K];
    }
#else
    if (group < groups) {
#pragma unroll
        for (unsigned u = 0; u < K; u++)
            to[lane * K + u] = out[u];
    }
#endif
}
