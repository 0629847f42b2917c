/* Permutes arrays whose last two dimensions, on one side, are structures of 2 to 8 elements.  On the other
 * side these elements lie in as many streams of whole vectors, and other dimensions move: a few rows become
 * columns (interleave), or a few columns become rows (deinterleave).  Elements have WL_WIDTH bytes, blocks
 * WL_PERMUTE_FEW_THREADS threads.
 *
 * A thread has a vector of each stream in registers, and as many vectors of structures, as in
 * interleave_few.cu.  All structures are contiguous: threads are numbered through all matrices, so that short
 * streams fill warps too.  A warp moves its structures' vectors in order, and hands them over through shared
 * memory of its own.
 *
 * Traffic: every byte is read once and written once, in whole sectors where streams are.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/fields/few_words.cuh"
#include "lib/permute/permute_few.h"

#define WL_WARPS (WL_PERMUTE_FEW_THREADS / 32)

/* The thread's place, and its warp's. */
struct wl_place {
    uint64_t from, to;       /* bytes from the first matrix to its vector of the first stream */
    uint32_t first, vectors; /* the warp's first vector of a stream, and all its vectors of structures */
    bool has;                /* a vector of each stream */
};

template <int fields> static __device__ __forceinline__ wl_place find(const struct wl_permute_few &p) {
    const uint32_t item = blockIdx.x * WL_PERMUTE_FEW_THREADS + threadIdx.x;
    wl_place at;
    at.has = item < p.vectors;
    at.first = item - threadIdx.x % 32;
    at.vectors = at.first < p.vectors ? min(p.vectors - at.first, 32) * fields : 0;
    uint32_t vector;
    const uint64_t last = wl_find_matrix(&p.batch, wl_divide(item, p.by_stream, &vector), &at.from, &at.to);
    at.from += last * p.from_stride + (uint64_t)vector * 16;
    at.to += last * p.to_stride + (uint64_t)vector * 16;
    return at;
}

template <int fields> static __device__ __forceinline__ void interleave(const struct wl_permute_few &p) {
    __shared__ uint4 stages[WL_WARPS][32 * WL_FEW_ROW(fields)];
    uint4 *const stage = stages[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32;
    const wl_place at = find<fields>(p);
    if (at.has) {
        uint4 moved[fields];
#pragma unroll
        for (int j = 0; j < fields; j++)
            moved[j] = *wl_once((const uint4 *)(p.from + at.from + j * p.pitch), p.hint);
#pragma unroll
        for (int u = 0; u < fields; u++)
            stage[lane * WL_FEW_ROW(fields) + u] = wl_packed_vector<fields>(moved, u);
    }
    __syncwarp();
    uint4 *const to = (uint4 *)p.to + (uint64_t)at.first * fields;
#pragma unroll
    for (int u = 0; u < fields; u++)
        if (u * 32 + lane < at.vectors)
            to[u * 32 + lane] = stage[WL_FEW_STAGE(fields, u * 32 + lane)];
}

template <int fields> static __device__ __forceinline__ void deinterleave(const struct wl_permute_few &p) {
    __shared__ uint4 stages[WL_WARPS][32 * WL_FEW_ROW(fields)];
    uint4 *const stage = stages[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32;
    const wl_place at = find<fields>(p);
    const uint4 *const from = (const uint4 *)p.from + (uint64_t)at.first * fields;
    uint4 moved[fields];
#pragma unroll
    for (int u = 0; u < fields; u++)
        if (u * 32 + lane < at.vectors)
            moved[u] = *wl_once(from + u * 32 + lane, p.hint);
#pragma unroll
    for (int u = 0; u < fields; u++)
        if (u * 32 + lane < at.vectors)
            stage[WL_FEW_STAGE(fields, u * 32 + lane)] = moved[u];
    __syncwarp();
    if (!at.has)
        return;
#pragma unroll
    for (int u = 0; u < fields; u++)
        moved[u] = stage[lane * WL_FEW_ROW(fields) + u];
#pragma unroll
    for (int j = 0; j < fields; j++)
        *(uint4 *)(p.to + at.to + j * p.pitch) = wl_stream_vector<fields>(moved, j);
}

#define NAME_OF(way, width, fields) wl_permute_##way##width##_##fields
#define NAME(way, width, fields)    NAME_OF(way, width, fields)
#define KERNEL(way, fields)                                                                                  \
    extern "C" __global__ void __launch_bounds__(WL_PERMUTE_FEW_THREADS)                                     \
        NAME(way, WL_WIDTH, fields)(const __grid_constant__ struct wl_permute_few p) {                       \
        wl_await_earlier();                                                                                  \
        way<fields>(p);                                                                                      \
    }
#define KERNELS(fields)                                                                                      \
    KERNEL(interleave, fields)                                                                               \
    KERNEL(deinterleave, fields)
KERNELS(2)
KERNELS(3)
KERNELS(4)
KERNELS(5)
KERNELS(6)
KERNELS(7)
KERNELS(8)
