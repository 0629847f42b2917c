/* Transpose of pairs of bytes where the input's rows are short and lie back to back, the output's long:
 * images of few pixels and many channels (7 x 7), NCHW from NHWC.  WL_ROWS rows of at most WL_COLS columns
 * are a tile, a block of WL_THREADS threads.
 *
 * The tile is contiguous in the input: one bulk load brings it, at any alignment of its rows to words.  Lanes
 * are neighbouring pairs of rows, which they gather to words of the output; each of its rows is stored by a
 * bulk copy of 256 bytes.  Nothing is read twice, and no lane stands at a row's edge as they would in tiles
 * of whole lines.
 *
 * Bank conflicts: none where a row is an odd count of elements, as two of them are an odd count of words
 * then; 2-way where it is twice one.
 *
 * Traffic: every byte is read once and written once; sectors are whole where the output's rows are.
 */
#include "bulk.cuh"
#include "transpose_tile.cuh"

static_assert(WL_WIDTH == 2, "pairs of rows make words");

#define WL_ROWS (WL_DOWN * 64)
#define WL_COLS (WL_ACROSS * 64)

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    /* The input from its place in a line on, as asynchronous loads want it (async.cuh). */
    __shared__ __align__(128) char in[WL_ROWS * WL_COLS * WL_WIDTH + 128];
    __shared__ __align__(128) uint32_t out[WL_COLS][WL_ROWS / 2];
    __shared__ wl_barrier loaded;
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    const uint64_t row = (uint64_t)at.down * WL_ROWS;
    const int rows = wl_rest(all.rows, row, WL_ROWS), cols = (int)all.cols;
    const char *from = at.from + row * all.from_pitch;
    char *to = at.to + row * WL_WIDTH;
    const int early = (int)((uintptr_t)from % 128);

    if (threadIdx.x == 0) {
        const uint32_t bytes = rows * cols * WL_WIDTH;
        wl_barrier_init(&loaded, 1);
        wl_barrier_expect(&loaded, bytes);
        wl_bulk_load(in + early, from, bytes, &loaded);
    }
    __syncthreads();
    wl_barrier_wait(&loaded, 0);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int c = warp; c < cols; c += WL_THREADS / 32) {
        const uint16_t *column = (const uint16_t *)(in + early) + c;
#pragma unroll
        for (int r = lane; r < WL_ROWS / 2; r += 32)
            if (2 * r < rows)
                out[c][r] = column[2 * r * cols] | (uint32_t)column[(2 * r + 1) * cols] << 16;
    }
    wl_bulk_fence();
    __syncthreads();

    if (warp == 0) {
        for (int c = lane; c < cols; c += 32)
            wl_bulk_store(to + c * all.to_pitch, out[c], rows * WL_WIDTH);
        wl_bulk_commit();
        wl_bulk_finish();
    }
}
