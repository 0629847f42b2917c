/* Permutes dimensions through tiles in shared memory, for elements of WL_WIDTH bytes.  WL_IN_SHIFTED and
 * WL_OUT_SHIFTED: the rows of that array begin anywhere.
 *
 * Traffic: every byte is read once and written once, but for tiles that overlap at the end of a dimension.
 * Shifted rows also read the rest of their first and last 16 bytes, which their neighbours read as well, and
 * write those element by element.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/permute/permute.cuh"

extern __shared__ uint4 wl_permute_memory[];

/* 16 bytes.  In blocks of 512 threads the L2 fetches the 256 bytes around them: their tiles are written
 * contiguously, and their rows begin anywhere.  Elsewhere that gains 1 % or costs up to 5 %, depending on
 * when neighbours run. */
static __device__ __forceinline__ uint4 load(uint64_t from) {
#if WL_THREADS > 256 && __CUDA_ARCH__ >= 900
    return wl_load_once_256((const void *)from, true);
#else
    return *wl_once((const uint4 *)from);
#endif
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const __grid_constant__ struct wl_permute_sides p) {
    wl_await_earlier();
    unsigned char *memory = (unsigned char *)wl_permute_memory;
    union access {
        uint4 word;
        wl_element element[WL_EACH];
    };
    uint64_t in_tile, out_tile, thread_place;
    uint32_t shared, first, row;
    uint32_t ends = wl_tile_place(p.tiles, blockIdx.x, &in_tile, &out_tile, &row);
    first = wl_thread_place(p.in, &shared, &thread_place);
    in_tile += thread_place;
    union access moved[WL_PASSES];
#pragma unroll
    for (int k = 0; k < WL_PASSES; k++)
        if (threadIdx.x < p.in.limit[k]) {
            uint64_t from = in_tile + p.in.global[k];
            if (WL_IN_SHIFTED) {
                uint32_t begin = first + p.in.begin[k] - wl_shift((uint32_t)from, WL_WIDTH);
                from &= ~(uint64_t)(WL_PERMUTE_ACCESS - 1);
                if (begin + (WL_EACH - 1) >= p.in.length + (WL_EACH - 1))
                    continue; /* past the row */
            }
            if (WL_IN_SHIFTED && from - p.tiles.from >= p.tiles.whole) {
                /* Part of it lies outside the array. */
#pragma unroll
                for (int j = 0; j < WL_EACH; j++)
                    if (from + j * WL_WIDTH - p.tiles.from < p.tiles.bytes)
                        moved[k].element[j] = *wl_once((const wl_element *)(from + j * WL_WIDTH));
            } else {
                moved[k].word = load(from);
            }
        }
#pragma unroll
    for (int k = 0; k < WL_PASSES; k++)
        if (threadIdx.x < p.in.limit[k]) {
            uint32_t shift =
                WL_IN_SHIFTED ? wl_shift((uint32_t)in_tile + (uint32_t)p.in.global[k], WL_WIDTH) : 0;
            uint32_t at = shared + p.in.shared[k] - shift * p.in.step, begin = first + p.in.begin[k] - shift;
#pragma unroll
            for (int j = 0; j < WL_EACH; j++)
                if (!WL_IN_SHIFTED || begin + j < p.in.length)
                    *(wl_element *)(memory + at + j * p.in.step) = moved[k].element[j];
        }
    first = wl_thread_place(p.out, &shared, &thread_place);
    out_tile += thread_place;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < WL_PASSES; k++)
        if (threadIdx.x < p.out.limit[k]) {
            uint64_t to = out_tile + p.out.global[k];
            uint32_t shift = WL_OUT_SHIFTED ? wl_shift((uint32_t)to, WL_WIDTH) : 0,
                     begin = first + p.out.begin[k] - shift;
            uint32_t at = shared + p.out.shared[k] - shift * p.out.step;
            if (WL_OUT_SHIFTED)
                to &= ~(uint64_t)(WL_PERMUTE_ACCESS - 1);
            if (!WL_OUT_SHIFTED || begin < p.out.whole) {
                union access access;
#pragma unroll
                for (int j = 0; j < WL_EACH; j++)
                    access.element[j] = *(const wl_element *)(memory + at + j * p.out.step);
                *(uint4 *)to = access.word;
            } else if (ends & ((int32_t)begin < 0 ? 1 : 2)) {
                /* Part of it lies outside the row. */
#pragma unroll
                for (int j = 0; j < WL_EACH; j++)
                    if (begin + j < p.out.length)
                        *(wl_element *)(to + j * WL_WIDTH) =
                            *(const wl_element *)(memory + at + j * p.out.step);
            }
        }
}
