/* Transposes where the input's rows are not whole vectors of 16 bytes and are contiguous: images of an odd
 * number of pixels and many channels (7 x 7, 14 x 14), NCHW to NHWC.  Elements have WL_WIDTH bytes, blocks
 * WL_THREADS threads.  A tile is all.tile_rows whole rows: a power of two times WL_STRIP.
 *
 * The tile is contiguous in the input: one bulk load brings it, whatever its rows' alignment.  A lane gathers
 * the elements of WL_EACH rows and one column, and stores them as 16 bytes of a row of the output.  Eight
 * lanes store 128 bytes of it, a warp does so for four rows.  Nothing is read twice, and no lane idles at a
 * row's edge as in tiles of whole lines.
 *
 * Bank conflicts: the first elements of lanes' rows are 4 * cols words apart, and the four columns take the
 * words between.  So none if cols is odd, 2-way if it is twice an odd number, 4-way if four times one. 512
 * bytes take 8 requests for WL_WIDTH 2, where there is time for 57.
 *
 * Traffic: every byte is read once and written once; sectors are whole if the output's rows are.
 */
#include "lib/cuda/bulk.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_tile.cuh"

#define WL_STRIP (8 * WL_EACH) /* rows per line of the output */

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    /* The barrier; from the next line on the tile, at its place in a line (async.cuh says why). */
    extern __shared__ __align__(128) char shared[];
    wl_barrier *const loaded = (wl_barrier *)shared;
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const uint64_t row = (uint64_t)at.down * all.tile_rows;
    const int rows = wl_rest(all.rows, row, all.tile_rows), cols = (int)all.cols;
    const char *from = at.from + row * all.from_pitch;
    char *to = at.to + row * WL_WIDTH;
    char *const in = shared + 128 + (uintptr_t)from % 128;

    if (threadIdx.x == 0) {
        const uint32_t bytes = rows * cols * WL_WIDTH;
        wl_barrier_init(loaded, 1);
        wl_barrier_expect(loaded, bytes);
        wl_bulk_load_once(in, from, bytes, loaded);
    }
    __syncthreads();
    wl_barrier_wait(loaded, 0);

    /* Units of a strip by four columns; consecutive warps take strips of the same columns. */
    const uint32_t strips = all.tile_rows / WL_STRIP, shift = __popc(strips - 1);
    const int lane = threadIdx.x % 32;
#pragma unroll 2
    for (uint32_t unit = threadIdx.x / 32;; unit += WL_THREADS / 32) {
        const int c = (unit >> shift) * 4 + lane / 8,
                  first = (unit & (strips - 1)) * WL_STRIP + lane % 8 * WL_EACH;
        if ((int)(unit >> shift) * 4 >= cols)
            break;
        if (c >= cols || first >= rows)
            continue;
        const wl_element *element = (const wl_element *)in + first * cols + c;
        uint32_t out[4] = {};
#pragma unroll
        for (int i = 0; i < WL_EACH; i++, element += cols)
            out[i * WL_WIDTH / 4] |= (uint32_t)*element << i * WL_WIDTH % 4 * 8;
        *(uint4 *)(to + c * all.to_pitch + first * WL_WIDTH) = make_uint4(out[0], out[1], out[2], out[3]);
    }
}
