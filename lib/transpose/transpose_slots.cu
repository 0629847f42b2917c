/* Transposes 4- and 2-byte elements at any alignment and pitch, of either side, by asynchronous loads.
 * Compiled once for each width WL_WIDTH and tile, as WL_NAME: slots of WL_ACROSS lines of 128 bytes for the
 * input's rows, WL_DOWN lines across the output, WL_THREADS threads; a warp stores WL_SIDE contiguous vectors
 * of an output row.
 *
 * Rows of the tile are windows in slots (transpose_windows.cuh).  A lane reads the elements of an output
 * vector, one from each row, wherever in its slot that lies, and stores the vector.  In each row of the
 * output the tile begins at a multiple of 32 bytes, as in transpose_elements.cu: all but one of 32 bytes of
 * rows before it are loaded in addition.
 *
 * So the data crosses shared memory once, though by elements: 512 bytes take 13 passes, where there is time
 * for 57, at either width.  1-byte elements would take twice as many, and are faster by transpose_window.cu.
 *
 * Bank conflicts: a warp's lanes are WL_SIDE vectors of a row of the output by 32 / WL_SIDE of its columns.
 * Consecutive vectors begin 16 bytes, times the pitch in elements, apart in their slots: in different banks
 * if the pitch is odd, or twice an odd number.  The word in 16 bytes differs between columns unless both
 * pitches make vectors of the one matrix begin at vectors of the other, as in odd squares.  Then there are
 * 4-way conflicts; for 2-byte elements the library leaves these to other kernels.  4-byte elements have 16
 * contiguous vectors, with 2-way conflicts at least: 8 are no faster.
 *
 * Traffic: every byte is read once from memory, and written once.  From L2 a tile of 4-byte elements takes 71
 * rows for 64, each 16 to 17 sectors for 15.5; of 2-byte ones 79 for 64: with the writes 1.09 and 1.15 times
 * the minimum.
 */
#define WL_SLOT   (WL_ACROSS * 128) /* bytes */
#define WL_COLS   ((WL_SLOT - 16) / WL_WIDTH)
#define WL_GROUPS (WL_DOWN * 8) /* vectors per row of the output */
#define WL_ROWS   (WL_GROUPS * WL_EACH)
#define WL_EXTRA  (32 / WL_WIDTH - 1) /* rows before the tile's own */
#if WL_WIDTH < 4
#define WL_LOAD wl_async_load_line
#else
#define WL_LOAD wl_async_load_256
#endif
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_windows.cuh"

#define WL_BESIDE (32 / WL_SIDE) /* columns per warp */
#define WL_WARPS  (WL_THREADS / 32)
#define WL_UNITS  ((WL_COLS + WL_BESIDE - 1) / WL_BESIDE * (WL_GROUPS / WL_SIDE))

static_assert(WL_WIDTH == 2 || WL_WIDTH == 4, "parts of words");
static_assert(WL_GROUPS % WL_SIDE == 0, "lanes have vectors");

/* Vectors that a thread gathers at the same time, as registers allow. */
constexpr int wl_at_once = WL_WIDTH;

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    extern __shared__ __align__(WL_SLOT) char slots[]; /* WL_LOADED */
    if (blockIdx.x >= all.blocks)
        return;
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const wl_part part = wl_part_of(all, at);
    const bool whole = wl_is_whole(all, at, part);
    if (whole)
        wl_load_whole(part, slots);
    else
        wl_load_part(part, slots);
    wl_async_wait();
    __syncthreads();

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    char *to = at.to + (uint64_t)at.across * WL_COLS * all.to_pitch + (uint64_t)at.down * WL_ROWS * WL_WIDTH;
    const uint32_t from = (uint32_t)(uintptr_t)part.from, pitch = (uint32_t)part.pitch;
#pragma unroll wl_at_once
    for (int unit = warp; unit < WL_UNITS; unit += WL_WARPS) {
        const int c = unit / (WL_GROUPS / WL_SIDE) * WL_BESIDE + lane / WL_SIDE;
        const int group = unit % (WL_GROUPS / WL_SIDE) * WL_SIDE + lane % WL_SIDE;
        if (c >= part.cols)
            continue;
        char *address = to + c * all.to_pitch;
        /* Elements by which the tile begins early in this output row; the vector's first loaded row. */
        const int early = (int)((uintptr_t)address % 32) / WL_WIDTH, row = WL_EXTRA - early + group * WL_EACH;
        uint32_t x = from + row * pitch + c * WL_WIDTH;
        uint32_t out[4] = {};
#pragma unroll
        for (int i = 0; i < WL_EACH; i++, x += pitch)
            out[i * WL_WIDTH / 4] |=
                (uint32_t) * (const wl_element *)(slots + (row + i) * WL_SLOT + wl_place(x))
                << i * WL_WIDTH % 4 * 8;
        address += (group * WL_EACH - early) * WL_WIDTH;
        if (whole || (row >= part.low && row + WL_EACH <= part.high)) {
            *(uint4 *)address = make_uint4(out[0], out[1], out[2], out[3]);
            continue;
        }
#pragma unroll
        for (int i = 0; i < WL_EACH; i++)
            if (row + i >= part.low && row + i < part.high)
                ((wl_element *)address)[i] = (wl_element)(out[i * WL_WIDTH / 4] >> i * WL_WIDTH % 4 * 8);
    }
}
