/* What the in-place transposes share: the element, and the exchange of two tiles of a square.
 *
 * Compiled once for each width WL_WIDTH (1, 2, 4, 8 or 16 bytes).
 *
 * wl_swap_tiles() transposes tile (i, j) of a square into tile (j, i) and the other way: both are read whole
 * before either is written, so nothing else is needed to be right in place. Every element is read once and
 * written once, in rows of WL_TILE elements: 128 to 512 bytes. Where those begin inside a 128-byte line,
 * WL_SPLIT lets the lanes of a warp begin at a line: but for a row's first and last, stores fill whole
 * lines.
 */
#ifndef WIDELOAD_KERNELS_INPLACE_CUH
#define WIDELOAD_KERNELS_INPLACE_CUH

#include "index.cuh"
#include "inplace.h"

#if WL_WIDTH == 16
typedef uint4 wl_word;
#define WL_TILE WL_INPLACE_TILE_16
#elif WL_WIDTH == 8
typedef uint2 wl_word;
#define WL_TILE WL_INPLACE_TILE_8
#elif WL_WIDTH == 4
typedef uint32_t wl_word;
#define WL_TILE WL_INPLACE_TILE_4
#elif WL_WIDTH == 2
typedef uint16_t wl_word;
#define WL_TILE WL_INPLACE_TILE_2
#else
typedef uint8_t wl_word;
#define WL_TILE WL_INPLACE_TILE_1
#endif

#define WL_JOIN_(name, width) name##width
#define WL_JOIN(name, width)  WL_JOIN_(name, width)
/* wl_inplace_square4 and the like. */
#define WL_SIZED(name) WL_JOIN(wl_inplace_##name, WL_WIDTH)

#define WL_THREADS WL_INPLACE_THREADS
#define WL_WARPS   (WL_THREADS / 32)

/* A row of a tile in shared memory: an odd number of words, or of elements where these are wider, so that a
 * column's elements lie in different banks. */
#define WL_PITCH     (WL_TILE + (WL_WIDTH < 4 ? 4 / WL_WIDTH : 1))
#define WL_TILE_ROOM (WL_TILE * WL_PITCH)

/* Whether warps begin at lines: narrow elements have short rows, whose cut lines would count. */
#define WL_SPLIT    (WL_WIDTH <= 4)
#define WL_REQUESTS (WL_TILE / 32 + WL_SPLIT)

/* The first of the columns that a warp's lanes take of a row: 0, or so far before it as a line begins.
 * `element`: the number of the row's first element, counted from address 0. */
static __device__ __forceinline__ int wl_first_column(unsigned element) {
    return WL_SPLIT ? -(int)(element % 32) : 0;
}

static __device__ __forceinline__ void wl_load_tile(wl_word *tile, const wl_word *from, uint64_t ld,
                                                    unsigned rows, unsigned cols) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned element = (unsigned)((uintptr_t)from / WL_WIDTH);
#pragma unroll
    for (unsigned j = 0; j < WL_TILE / WL_WARPS; j++) {
        unsigned r = warp + j * WL_WARPS;
        int x = (int)lane + wl_first_column(element + r * (unsigned)ld);
#pragma unroll
        for (unsigned k = 0; k < WL_REQUESTS; k++, x += 32)
            if (r < rows && x >= 0 && x < (int)cols)
                tile[r * WL_PITCH + x] = __ldcg(from + r * ld + x);
    }
}

/* Writes the transpose of the tile, which has `rows` columns. */
static __device__ __forceinline__ void wl_store_transposed(wl_word *to, const wl_word *tile, uint64_t ld,
                                                           unsigned rows, unsigned cols) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned element = (unsigned)((uintptr_t)to / WL_WIDTH);
#pragma unroll 4
    for (unsigned j = 0; j < WL_TILE / WL_WARPS; j++) {
        unsigned r = warp + j * WL_WARPS;
        int x = (int)lane + wl_first_column(element + r * (unsigned)ld);
#pragma unroll
        for (unsigned k = 0; k < WL_REQUESTS; k++, x += 32)
            if (r < rows && x >= 0 && x < (int)cols)
                to[r * ld + x] = tile[x * WL_PITCH + r];
    }
}

/* i <= j: tiles of the square of n x n elements that begins at `square`. */
static __device__ __forceinline__ void wl_swap_tiles(wl_word *square, uint64_t ld, unsigned n, unsigned i,
                                                     unsigned j, wl_word *upper, wl_word *lower) {
    unsigned rows = min(WL_TILE, n - i * WL_TILE), cols = min(WL_TILE, n - j * WL_TILE);
    wl_word *a = square + (uint64_t)(i * WL_TILE) * ld + j * WL_TILE;
    wl_word *b = square + (uint64_t)(j * WL_TILE) * ld + i * WL_TILE;
    wl_load_tile(upper, a, ld, rows, cols);
    if (i != j)
        wl_load_tile(lower, b, ld, cols, rows);
    __syncthreads();
    wl_store_transposed(a, i != j ? lower : upper, ld, rows, cols);
    if (i != j)
        wl_store_transposed(b, upper, ld, cols, rows);
}

#endif
