/* Transposes matrices of any alignment and shape, on any device: the floor under the faster kernels for
 * elements of 1 and 2 bytes.
 *
 * A tile of 64 x 64 elements goes through shared memory, one element at a time on either side.  Neighbouring
 * threads have neighbouring elements of a row, in global memory on both sides.  A row of the tile is one word
 * longer than its elements, an odd number of words: so the column that a warp reads lies in different banks.
 *
 * Traffic: every byte is read once and written once; rows of 64 or 128 bytes begin anywhere in a sector.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/transpose/transpose_tiles.h"

#define WL_SIDE 64

template <typename wl_element>
static __device__ __forceinline__ void wl_transpose(const wl_transpose_tiles &all) {
    __shared__ wl_element tile[WL_SIDE][WL_SIDE + 4 / sizeof(wl_element)];
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const uint64_t row = (uint64_t)at.down * WL_SIDE, column = (uint64_t)at.across * WL_SIDE;
    const int rows = wl_rest(all.rows, row, WL_SIDE), cols = wl_rest(all.cols, column, WL_SIDE);
    const char *from = at.from + row * all.from_pitch + column * sizeof(wl_element);
    char *to = at.to + column * all.to_pitch + row * sizeof(wl_element);
    const int along = threadIdx.x % WL_SIDE;
#pragma unroll 8
    for (int r = threadIdx.x / WL_SIDE; r < WL_SIDE; r += 256 / WL_SIDE)
        if (r < rows && along < cols)
            tile[r][along] = ((const wl_element *)(from + r * all.from_pitch))[along];
    __syncthreads();
#pragma unroll 8
    for (int c = threadIdx.x / WL_SIDE; c < WL_SIDE; c += 256 / WL_SIDE)
        if (c < cols && along < rows)
            ((wl_element *)(to + c * all.to_pitch))[along] = tile[along][c];
}

extern "C" __global__ void __launch_bounds__(256) wl_transpose_any1(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint8_t>(all);
}

extern "C" __global__ void __launch_bounds__(256) wl_transpose_any2(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint16_t>(all);
}
