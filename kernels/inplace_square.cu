/* A square, of rows ld elements apart, is transposed in place: a block exchanges tile (i, j) with tile (j,
 * i), i <= j.
 *
 * Blocks that run together take tiles of one group of WL_INPLACE_GROUP x WL_INPLACE_GROUP, so that both their
 * reads and their writes are runs of some 2 KB on 512 rows, not single rows of tiles all over memory.
 *
 * Traffic: 2 n^2 elements, as a copy, and nothing else: no workspace.
 */
#include "inplace.cuh"

/* Block to tiles. Groups (I, J), I <= J, are a triangle, which is folded to a rectangle of groups / 2 rows
 * and groups + 1 columns, for an even number of groups: row y has the groups of row y right of the diagonal,
 * and those of row groups - 1 - y. False for what is below the diagonal or past the edge. */
static __device__ __forceinline__ bool wl_tiles_of(uint64_t block, unsigned tiles, unsigned *i, unsigned *j) {
    const unsigned each = WL_INPLACE_GROUP * WL_INPLACE_GROUP;
    unsigned groups = (tiles + WL_INPLACE_GROUP - 1) / WL_INPLACE_GROUP;
    groups += groups & 1;
    unsigned group = (unsigned)(block / each), within = (unsigned)(block % each);
    unsigned y = group / (groups + 1), x = group % (groups + 1);
    unsigned row = x > y ? y : groups - 1 - y, col = x > y ? x - 1 : groups - 1 - x;
    *i = row * WL_INPLACE_GROUP + within / WL_INPLACE_GROUP;
    *j = col * WL_INPLACE_GROUP + within % WL_INPLACE_GROUP;
    return *i <= *j && *j < tiles;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 1024 / WL_THREADS)
    WL_SIZED(square)(wl_word *square, uint64_t ld, unsigned n, uint64_t first) {
    char *upper = (char *)wl_dynamic, *lower = upper + WL_TILE * WL_PITCH;
    unsigned i, j;
    if (wl_tiles_of(first + blockIdx.x, (n + WL_TILE - 1) / WL_TILE, &i, &j))
        wl_swap_tiles(square, ld, n, i, j, upper, lower);
}
