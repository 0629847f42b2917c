/* Copies between any strides, in units of WL_WIDTH bytes.
 *
 * wl_copy_strided: each thread moves WL_STRIDED_EACH units, numbered in the output's order.  It divides their
 * numbers by the dimensions' sizes.
 *
 * wl_copy_tiles: for problems where the output's nearest neighbours and the input's are in different
 * dimensions. Tiles of 32 x 32 units are read along the one and written along the other, through shared
 * memory.
 *
 * Traffic: every sector that has a unit is read, and every one that has a unit is written, once if neighbours
 * are near each other. */
#include "lib/copy/strided_parameters.h"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"

static __device__ __forceinline__ void wl_move_units(const struct wl_strided &p) {
    const uint32_t first = blockIdx.x * (WL_STRIDED_THREADS * WL_STRIDED_EACH) + threadIdx.x;
    wl_element unit[WL_STRIDED_EACH], *out[WL_STRIDED_EACH];
#pragma unroll
    for (unsigned j = 0; j < WL_STRIDED_EACH; j++) {
        uint32_t item = first + j * WL_STRIDED_THREADS;
        const bool mine = item < p.items;
        int64_t to = 0, from = 0;
#pragma unroll
        for (unsigned i = 0; i < WL_STRIDED_RANK; i++) {
            uint32_t index = item;
            if (i + 1 < p.rank)
                item = wl_divide(item, p.dim[i].count, &index);
            to += index * p.dim[i].to;
            from += index * p.dim[i].from;
            if (i + 1 >= p.rank)
                break;
        }
        out[j] = mine ? (wl_element *)wl_global(p.to + to) : NULL;
        if (mine)
            unit[j] = *(const wl_element *)wl_global(p.from + from);
    }
#pragma unroll
    for (unsigned j = 0; j < WL_STRIDED_EACH; j++)
        if (out[j])
            *out[j] = unit[j];
}

static __device__ __forceinline__ void wl_move_tile(const struct wl_strided &p) {
    /* One unit more in a row, so that a column's units are in different banks. */
    __shared__ wl_element tile[WL_STRIDED_TILE][WL_STRIDED_TILE + 1];
    uint64_t at[2] = {0, 0};
    int64_t to = 0, from = 0;
    uint32_t block = blockIdx.x;
#pragma unroll
    for (unsigned i = 0; i < WL_STRIDED_RANK; i++) {
        uint32_t index = block;
        if (i + 1 < p.rank)
            block = wl_divide(block, p.dim[i].count, &index);
        if (i < 2) {
            at[i] = (uint64_t)index * WL_STRIDED_TILE;
        } else {
            to += index * p.dim[i].to;
            from += index * p.dim[i].from;
        }
        if (i + 1 >= p.rank)
            break;
    }
#pragma unroll
    for (unsigned row = threadIdx.y; row < WL_STRIDED_TILE; row += WL_STRIDED_ROWS) {
        const uint64_t a = at[0] + row, b = at[1] + threadIdx.x;
        if (a < p.sizes[0] && b < p.sizes[1])
            tile[row][threadIdx.x] = *(const wl_element *)wl_global(
                p.from + from + (int64_t)a * p.dim[0].from + (int64_t)b * p.dim[1].from);
    }
    __syncthreads();
#pragma unroll
    for (unsigned row = threadIdx.y; row < WL_STRIDED_TILE; row += WL_STRIDED_ROWS) {
        const uint64_t a = at[0] + threadIdx.x, b = at[1] + row;
        if (a < p.sizes[0] && b < p.sizes[1])
            *(wl_element *)wl_global(p.to + to + (int64_t)a * p.dim[0].to + (int64_t)b * p.dim[1].to) =
                tile[threadIdx.x][row];
    }
}

extern "C" __global__ void __launch_bounds__(WL_STRIDED_THREADS)
    WL_JOIN(copy_strided, WL_WIDTH, )(const __grid_constant__ struct wl_strided p) {
    wl_await_earlier();
    wl_move_units(p);
}

extern "C" __global__ void __launch_bounds__(WL_STRIDED_TILE *WL_STRIDED_ROWS)
    WL_JOIN(copy_tiles, WL_WIDTH, )(const __grid_constant__ struct wl_strided p) {
    wl_await_earlier();
    wl_move_tile(p);
}
