/* Transposes in place a square of 1- or 2-byte elements whose rows all begin and end at multiples of 16
 * bytes.  It is inplace_square.cu, but swaps elements in registers, four or two per word at a time, where
 * that kernel picks a vector's 16 or 8 elements from shared memory one by one.
 *
 * A thread loads 16 bytes of each of WL_GROUP rows, transposes them to words that hold a column's neighbours,
 * and puts those into shared memory by columns; rows of the transpose are read from there 16 bytes at a time.
 * A warp is 8 vectors of 4 groups of rows.  Half of a block's loads are of the upper tile, half of the lower
 * one; all come before the first store to shared memory.
 *
 * Bank conflicts: none.  A column takes WL_LINES lines, its words permuted by XOR with 4 * (its vector's
 * number mod 8).  So the eight vectors of a warp take the eight groups of four banks, and the four groups of
 * rows take one bank of each.  Vectors move as a whole, so reading needs only the same XOR.
 *
 * Loads are marked for eviction last (docs/notes/inplace.md).
 *
 * Traffic: 2 n^2 elements, as a copy, in whole sectors if the side is a multiple of 32 bytes.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/inplace/inplace.cuh"
#include "lib/transpose/transpose_tile.cuh"

#define WL_ALIGNED_THREADS WL_INPLACE_ALIGNED_THREADS(WL_WIDTH)
#define WL_LINES           (WL_TILE * WL_WIDTH / 128) /* 128-byte lines per row of a tile */
#define WL_TILE_VECTORS    (WL_TILE * WL_VECTORS)
#define WL_UNITS           (WL_TILE_VECTORS / WL_GROUP) /* per tile: WL_GROUP rows of a vector */
#define WL_UNIT_LOADS      (2 * WL_UNITS / WL_ALIGNED_THREADS)
#define WL_STORES          (2 * WL_TILE_VECTORS / WL_ALIGNED_THREADS)

static_assert(WL_UNITS % WL_ALIGNED_THREADS == 0, "all threads load of one tile at a time");

/* A tile of the square, and the part of it that exists. */
struct wl_square_tile {
    char *at;
    unsigned rows, cols;
};

/* A unit of a tile: its vector in the row, and its group of rows. */
struct wl_unit {
    unsigned vector, group;
};
static __device__ __forceinline__ struct wl_unit wl_unit_at(unsigned i) {
    unsigned warp = i % WL_UNITS / 32, lane = i % 32;
    struct wl_unit unit = {warp % WL_LINES * 8 + lane % 8, warp / WL_LINES * 4 + lane / 8};
    return unit;
}

/* Puts a unit's columns into shared memory. */
static __device__ __forceinline__ void wl_put(uint4 *tile, struct wl_unit unit,
                                              const uint4 (&rows)[WL_GROUP]) {
    uint32_t *column = (uint32_t *)tile + unit.vector * WL_PART * (WL_LINES * 32);
    unsigned slot = unit.group ^ 4 * (unit.vector % 8);
    wl_put_words(column, WL_LINES * 32, slot, rows);
}

extern "C" __global__ void __launch_bounds__(WL_ALIGNED_THREADS, WL_INPLACE_ALIGNED_BLOCKS(WL_WIDTH))
    WL_SIZED(aligned)(wl_word *square, uint64_t ld, unsigned n, uint64_t first) {
    wl_await_earlier();
    unsigned i, j;
    if (!wl_tiles_of(first + blockIdx.x, (n + WL_TILE - 1) / WL_TILE, &i, &j))
        return;
    const uint64_t pitch = ld * WL_WIDTH;
    const unsigned rows = min(WL_TILE, n - i * WL_TILE), cols = min(WL_TILE, n - j * WL_TILE);
    const struct wl_square_tile tiles[2] = {
        {(char *)(square + (uint64_t)(i * WL_TILE) * ld + j * WL_TILE), rows, cols},
        {(char *)(square + (uint64_t)(j * WL_TILE) * ld + i * WL_TILE), cols, rows}};

    uint4 moved[WL_UNIT_LOADS][WL_GROUP];
#pragma unroll
    for (unsigned k = 0; k < WL_UNIT_LOADS; k++) {
        const unsigned place = k * WL_ALIGNED_THREADS + threadIdx.x, lower = k >= WL_UNIT_LOADS / 2;
        const struct wl_unit unit = wl_unit_at(place);
        if (lower && i == j)
            break;
#pragma unroll
        for (unsigned r = 0; r < WL_GROUP; r++) {
            unsigned row = unit.group * WL_GROUP + r;
            if (row < tiles[lower].rows && unit.vector * WL_PART < tiles[lower].cols)
                moved[k][r] = *wl_once((const uint4 *)(tiles[lower].at + row * pitch) + unit.vector);
        }
    }
#pragma unroll
    for (unsigned k = 0; k < WL_UNIT_LOADS; k++)
        wl_put(wl_dynamic + (k >= WL_UNIT_LOADS / 2 ? WL_TILE_VECTORS : 0),
               wl_unit_at(k * WL_ALIGNED_THREADS + threadIdx.x), moved[k]);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < WL_STORES; k++) {
        const unsigned place = (k * WL_ALIGNED_THREADS + threadIdx.x) % WL_TILE_VECTORS,
                       lower = k >= WL_STORES / 2;
        const unsigned vector = place % WL_VECTORS, row = place / WL_VECTORS;
        if (lower && i == j)
            break;
        const uint4 *transpose = wl_dynamic + (lower || i == j ? 0 : WL_TILE_VECTORS);
        if (row < tiles[lower].rows && vector * WL_PART < tiles[lower].cols)
            ((uint4 *)(tiles[lower].at + row * pitch))[vector] =
                transpose[row * WL_VECTORS + (vector ^ row / WL_PART % 8)];
    }
}
