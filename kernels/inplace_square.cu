/* A square, of rows ld elements apart, is transposed in place: a block exchanges tile (i, j) with tile (j,
 * i), i <= j.
 *
 * Blocks that run together take tiles of one group of WL_INPLACE_GROUP x WL_INPLACE_GROUP, so that both their
 * reads and their writes are runs of 1 to 2 KB on 256 to 1024 rows, not single rows of tiles all over memory.
 *
 * Traffic: 2 n^2 elements, as a copy, and nothing else: no workspace.
 */
#include "inplace.cuh"

extern "C" __global__ void __launch_bounds__(WL_THREADS, 1024 / WL_THREADS)
    WL_SIZED(square)(wl_word *square, uint64_t ld, unsigned n, uint64_t first) {
    char *upper = (char *)wl_dynamic, *lower = upper + WL_TILE * WL_PITCH;
    unsigned i, j;
    if (wl_tiles_of(first + blockIdx.x, (n + WL_TILE - 1) / WL_TILE, &i, &j))
        wl_swap_tiles(square, ld, n, i, j, upper, lower);
}
