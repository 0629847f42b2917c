/* Copies between any strides, in units of 1 to 16 bytes.
 *
 *   wl_copy_strided_N  each thread moves WL_STRIDED_EACH units, numbered in the output's order.  It divides
 * their numbers by the dimensions' sizes. wl_copy_tiles_N    where the output's nearest neighbours and the
 * input's are in different dimensions: tiles of 32 x 32 units, which are read along the one and written along
 * the other, through shared memory.
 *
 * Traffic: every sector that has a unit is read, and every one that has a unit is written, once if neighbours
 * are near each other. */
#include "lib/copy/strided_parameters.h"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"

template <class T> static __device__ __forceinline__ void wl_move_units(const struct wl_strided &p) {
    const uint32_t first = blockIdx.x * (WL_STRIDED_THREADS * WL_STRIDED_EACH) + threadIdx.x;
    T unit[WL_STRIDED_EACH], *out[WL_STRIDED_EACH];
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
        out[j] = mine ? (T *)wl_global(p.to + to) : NULL;
        if (mine)
            unit[j] = *(const T *)wl_global(p.from + from);
    }
#pragma unroll
    for (unsigned j = 0; j < WL_STRIDED_EACH; j++)
        if (out[j])
            *out[j] = unit[j];
}

template <class T> static __device__ __forceinline__ void wl_move_tile(const struct wl_strided &p) {
    /* One unit more in a row, so that a column's units are in different banks. */
    __shared__ T tile[WL_STRIDED_TILE][WL_STRIDED_TILE + 1];
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
            tile[row][threadIdx.x] = *(const T *)wl_global(p.from + from + (int64_t)a * p.dim[0].from +
                                                           (int64_t)b * p.dim[1].from);
    }
    __syncthreads();
#pragma unroll
    for (unsigned row = threadIdx.y; row < WL_STRIDED_TILE; row += WL_STRIDED_ROWS) {
        const uint64_t a = at[0] + threadIdx.x, b = at[1] + row;
        if (a < p.sizes[0] && b < p.sizes[1])
            *(T *)wl_global(p.to + to + (int64_t)a * p.dim[0].to + (int64_t)b * p.dim[1].to) =
                tile[threadIdx.x][row];
    }
}

#define WL_KERNELS(bytes, type)                                                                              \
    extern "C" __global__ void __launch_bounds__(WL_STRIDED_THREADS)                                         \
        wl_copy_strided_##bytes(const __grid_constant__ struct wl_strided p) {                               \
        wl_await_earlier();                                                                                  \
        wl_move_units<type>(p);                                                                              \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(WL_STRIDED_TILE *WL_STRIDED_ROWS)                           \
        wl_copy_tiles_##bytes(const __grid_constant__ struct wl_strided p) {                                 \
        wl_await_earlier();                                                                                  \
        wl_move_tile<type>(p);                                                                               \
    }
WL_KERNELS(1, uint8_t)
WL_KERNELS(2, uint16_t)
WL_KERNELS(4, uint32_t)
WL_KERNELS(8, uint2)
WL_KERNELS(16, uint4)
