/* Transposes where every row of both matrices begins and ends at a multiple of 16 bytes: by 16-byte accesses
 * on either side, with a tile in shared memory between them.  Compiled once for each width WL_WIDTH (bytes of
 * an element) and tile, as WL_NAME: WL_ACROSS lines of 128 bytes across the input, WL_DOWN across the output,
 * WL_THREADS threads.
 *
 * A thread loads 16 bytes from each of WL_GROUP rows (all of its loads before its first store), transposes
 * them in registers to words that hold a column's neighbours, and puts those into shared memory by columns.
 * So a row of the output can be read from there 16 bytes at a time.  A warp is 8 vectors (a line) of 4 groups
 * of rows.
 *
 * Bank conflicts: none.  Column c lies at c * WL_DOWN lines, its words permuted by XOR with 4 * (its vector's
 * number mod 8).  The columns of the eight vectors of a warp's line would all begin in one bank: now they
 * take the eight groups of four banks, and the four groups of rows take one bank of each.  The permutation
 * moves 16-byte vectors as a whole, so reading needs only the same XOR.
 *
 * Traffic: every byte is read once and written once, in whole lines if the rows begin at lines.  Pieces of
 * 256 bytes may begin anywhere in 256 bytes of memory: loads bring all of these.  For 16-byte elements pieces
 * are 512 bytes long, and faster without.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/transpose/transpose_tile.cuh"

#define WL_EACH   (16 / WL_WIDTH)           /* elements per vector */
#define WL_COLS   (WL_ACROSS * 8 * WL_EACH) /* per tile */
#define WL_ROWS   (WL_DOWN * 8 * WL_EACH)
#define WL_UNITS  (WL_ACROSS * 8 * (WL_ROWS / WL_GROUP)) /* WL_GROUP rows of a vector */
#define WL_LOADS  (WL_UNITS / WL_THREADS)                /* units per thread */
#define WL_STORES (WL_COLS * WL_DOWN * 8 / WL_THREADS)   /* vectors per thread */

/* The j-th unit of a thread: its vector in the row, and its group of rows. */
struct wl_unit {
    int vector, group;
};
static __device__ __forceinline__ wl_unit wl_unit_at(int j) {
    int warp = (j * WL_THREADS + (int)threadIdx.x) / 32, lane = threadIdx.x % 32;
    wl_unit unit = {warp % WL_ACROSS * 8 + lane % 8, warp / WL_ACROSS * 4 + lane / 8};
    return unit;
}

/* Stores a unit's columns to the tile. */
static __device__ __forceinline__ void wl_put(uint4 *tile, wl_unit unit, const uint4 (&rows)[WL_GROUP]) {
    uint32_t *column = (uint32_t *)tile + unit.vector * WL_EACH * (WL_DOWN * 32);
    int swizzle = 4 * (unit.vector % 8);
#if WL_WIDTH == 16
    *(uint4 *)(column + (unit.group * 4 ^ swizzle)) = rows[0];
#elif WL_WIDTH == 8
    /* As 8-byte integers: from a uint2 nvcc would make two stores. */
    *(uint64_t *)(column + (unit.group * 2 ^ swizzle)) = rows[0].x | (uint64_t)rows[0].y << 32;
    *(uint64_t *)(column + WL_DOWN * 32 + (unit.group * 2 ^ swizzle)) = rows[0].z | (uint64_t)rows[0].w << 32;
#else
    wl_put_words(column, WL_DOWN * 32, unit.group ^ swizzle, rows);
#endif
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    __shared__ uint4 tile[WL_COLS * WL_DOWN * 8];
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const uint64_t row = (uint64_t)at.down * WL_ROWS, column = (uint64_t)at.across * WL_COLS;
    const int rows = wl_rest(all.rows, row, WL_ROWS), cols = wl_rest(all.cols, column, WL_COLS);
    const char *from = at.from + row * all.from_pitch + column * WL_WIDTH;
    char *to = at.to + column * all.to_pitch + row * WL_WIDTH;

    uint4 moved[WL_LOADS][WL_GROUP];
#pragma unroll
    for (int j = 0; j < WL_LOADS; j++) {
        wl_unit unit = wl_unit_at(j);
#pragma unroll
        for (int k = 0; k < WL_GROUP; k++) {
            int r = unit.group * WL_GROUP + k;
#if WL_WIDTH == 16
            if (r < rows && unit.vector * WL_EACH < cols)
                moved[j][k] = *wl_once((const uint4 *)(from + r * all.from_pitch) + unit.vector);
#else
            moved[j][k] = wl_load_once_256((const uint4 *)(from + r * all.from_pitch) + unit.vector,
                                           r < rows && unit.vector * WL_EACH < cols);
#endif
        }
    }
#pragma unroll
    for (int j = 0; j < WL_LOADS; j++)
        wl_put(tile, wl_unit_at(j), moved[j]);
    __syncthreads();

    /* One test per block chooses between back-to-back reads and a ragged edge. */
    if (rows == WL_ROWS && cols == WL_COLS) {
        uint4 out[WL_STORES];
#pragma unroll
        for (int j = 0; j < WL_STORES; j++) {
            int i = j * WL_THREADS + threadIdx.x, vector = i % (WL_DOWN * 8), c = i / (WL_DOWN * 8);
            out[j] = tile[c * WL_DOWN * 8 + (vector ^ c / WL_EACH % 8)];
        }
#pragma unroll
        for (int j = 0; j < WL_STORES; j++) {
            int i = j * WL_THREADS + threadIdx.x, vector = i % (WL_DOWN * 8), c = i / (WL_DOWN * 8);
            ((uint4 *)(to + c * all.to_pitch))[vector] = out[j];
        }
        return;
    }
    for (int i = threadIdx.x; i < WL_COLS * WL_DOWN * 8; i += WL_THREADS) {
        int vector = i % (WL_DOWN * 8), c = i / (WL_DOWN * 8);
        if (c < cols && vector * WL_EACH < rows)
            ((uint4 *)(to + c * all.to_pitch))[vector] = tile[c * WL_DOWN * 8 + (vector ^ c / WL_EACH % 8)];
    }
}
