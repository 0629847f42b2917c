/* Blocks that only move tiles: each loads its tile's pieces, as whole vectors of 16 bytes, and stores whole
 * sectors where the tile lies in the output, with whatever is in shared memory.  Nothing is permuted.  So the
 * time is that of the traffic alone, and a kernel that permutes by such tiles takes at least as long.
 *
 * Traffic: every byte is read once, but for vectors that two pieces share, and every sector is written once,
 * by the piece that it begins in; tiles that overlap at the end of a dimension are moved twice.
 *
 * Vectors of pieces of a line and more keep their places in a line of 128 bytes (async.cuh says why).  Each
 * has a place of its own: a load to a place that another load is on its way to may never be made (an H200
 * read 550 of 1007 MB).  Stores take the first places again and again. */
#include "lib/cuda/async.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/permute/permute.cuh"
#include "tests/speed/bound/tile_bound.h"

extern __shared__ uint4 wl_bound_memory[];

extern "C" __global__ void __launch_bounds__(WL_BOUND_THREADS)
    WL_NAME(const __grid_constant__ struct wl_tile_bound p) {
    wl_await_earlier();
    const uint64_t vector = 15, sector = 31;
    const uint32_t memory = wl_async_address(wl_bound_memory);
    uint64_t in, out;
    uint32_t row, group = threadIdx.x >> p.in.lanes, lane = threadIdx.x & ((1u << p.in.lanes) - 1);
    wl_tile_place(p.tiles, blockIdx.x, &in, &out, &row);
#pragma unroll 4
    for (uint32_t i = group; i < p.in.pieces; i += WL_BOUND_THREADS >> p.in.lanes) {
        const uint64_t from = in + __ldg((const uint32_t *)p.in.table + i), last = from + p.in.bytes;
        const uint32_t place = memory + i * p.in.pitch * 16 - (uint32_t)(from & ~(uint64_t)(p.in.phase - 1));
        for (uint64_t at = (from & ~vector) + 16 * lane; at < last; at += 16u << p.in.lanes)
            wl_async_load_line(place + (uint32_t)at, (const void *)at);
    }
    wl_async_wait();
    __syncthreads();
    group = threadIdx.x >> p.out.lanes;
    lane = threadIdx.x & ((1u << p.out.lanes) - 1);
    const uint64_t end = (p.tiles.to + p.tiles.bytes) & ~sector;
#pragma unroll 4
    for (uint32_t i = group; i < p.out.pieces; i += WL_BOUND_THREADS >> p.out.lanes) {
        const uint64_t to = out + __ldg((const uint32_t *)p.out.table + i),
                       last = min((to + p.out.bytes + sector) & ~sector, end);
        for (uint64_t at = ((to + sector) & ~sector) + 16 * lane; at < last; at += 16u << p.out.lanes)
            *(uint4 *)at = wl_bound_memory[(i * p.out.pitch + (uint32_t)(at / 16)) & (p.stored - 1)];
    }
}
