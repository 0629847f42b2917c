/* Transposes a square in place, whose rows are ld elements apart: a block exchanges tile (i, j) with tile (j,
 * i), i <= j.
 *
 * Blocks that run together take tiles of one group of WL_INPLACE_GROUP x WL_INPLACE_GROUP.  So both their
 * reads and their writes are runs of 1 to 2 KB on 256 to 1024 rows, not single rows of tiles all over memory.
 *
 * Tiles of 1- and 2-byte elements are stored with rows shifted (inplace_narrow.cuh), others as they come.
 * With WL_SMALL it is the kernel for small tiles.
 *
 * Traffic: 2 n^2 elements, as a copy, without a workspace.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/inplace/inplace.h"

#ifdef WL_SMALL
#define WL_ENTRY   WL_SIZED(small)
#define WL_TILE    WL_INPLACE_SMALL_TILE
#define WL_THREADS WL_INPLACE_SMALL_THREADS
#define WL_WANTED  WL_INPLACE_SMALL_BLOCKS
#else
#define WL_ENTRY   WL_SIZED(square)
#define WL_TILE    WL_INPLACE_TILE(WL_WIDTH)
#define WL_THREADS WL_INPLACE_THREADS(WL_WIDTH)
#define WL_WANTED  WL_INPLACE_BLOCKS(WL_WIDTH)
#endif
#include "lib/inplace/inplace_parts.cuh"

#if WL_WIDTH < 4
static __device__ __forceinline__ void wl_swap(wl_word *square, uint64_t ld, unsigned n, unsigned i,
                                               unsigned j) {
    char *lower_tile = (char *)wl_dynamic + WL_FRONT, *upper_tile = lower_tile + WL_STRIDE;
    const struct wl_reach reach = {(uintptr_t)square, (uintptr_t)(square + (n - 1) * ld + n)};
    const unsigned rows = min(WL_TILE, n - i * WL_TILE), cols = min(WL_TILE, n - j * WL_TILE);
    const struct wl_part lower = {(uintptr_t)(square + (uint64_t)(j * WL_TILE) * ld + i * WL_TILE),
                                  ld * WL_WIDTH, cols, rows};
    struct wl_part upper = {(uintptr_t)(square + (uint64_t)(i * WL_TILE) * ld + j * WL_TILE), ld * WL_WIDTH,
                            i < j ? rows : 0, cols};
    wl_load_pair(&reach, &lower, &upper, lower_tile, upper_tile);
    __syncthreads();
    wl_store_part(upper.at, upper.pitch, &lower, lower_tile);
    if (i < j)
        wl_store_part(lower.at, lower.pitch, &upper, upper_tile);
}
#else
static __device__ __forceinline__ void wl_swap(wl_word *square, uint64_t ld, unsigned n, unsigned i,
                                               unsigned j) {
    char *upper = (char *)wl_dynamic, *lower = upper + WL_TILE * WL_PITCH;
    wl_swap_tiles(square, ld, n, i, j, upper, lower);
}
#endif

/* Older multiprocessors have at most 1024 threads. */
#if __CUDA_ARCH__ >= 800
#define WL_BLOCKS WL_WANTED
#else
#define WL_BLOCKS (1024 / WL_THREADS)
#endif

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_ENTRY(wl_word *square, uint64_t ld, unsigned n, uint64_t first) {
    wl_await_earlier();
    unsigned i, j;
    if (wl_tiles_of(first + blockIdx.x, (n + WL_TILE - 1) / WL_TILE, &i, &j))
        wl_swap(square, ld, n, i, j);
}
