/* Permutes dimensions where the last one keeps its place: whole rows move, by accesses of WL_WIDTH bytes. */
#include "permute.cuh"
#ifndef WIDELOAD_PERMUTE_WORDS
#define WIDELOAD_PERMUTE_WORDS
typedef uint8_t wl_word_1;
typedef uint16_t wl_word_2;
typedef uint32_t wl_word_4;
typedef uint2 wl_word_8;
typedef uint4 wl_word_16;
#define WL_PASSES_1  32
#define WL_PASSES_2  32
#define WL_PASSES_4  16
#define WL_PASSES_8  8
#define WL_PASSES_16 8
#endif
#define WL_PASTE_(a, b) a##b
#define WL_PASTE(a, b)  WL_PASTE_(a, b)
#define WORD            WL_PASTE(wl_word_, WL_WIDTH)
#define PASSES          WL_PASTE(WL_PASSES_, WL_WIDTH)

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const __grid_constant__ struct wl_permute_tiles p) {
    uint32_t shared;
    uint64_t in_thread, out_thread = 0, in_tile, out_tile;
    {
        uint32_t thread = threadIdx.x;
        in_thread = 0;
        for (uint32_t i = 0; i < p.in.parts; i++) {
            uint32_t rest = wl_divide(thread, &p.in.part[i].by),
                     place = thread - rest * p.in.part[i].by.count;
            in_thread += place * p.in.part[i].global;
            out_thread += place * p.out.part[i].global;
            thread = rest;
        }
    }
    (void)shared;
    for (uint32_t tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        WORD moved[PASSES];
        wl_tile_place(p, tile, &in_tile, &out_tile);
#pragma unroll
        for (int k = 0; k < PASSES; k++)
            if (threadIdx.x < p.in.limit[k])
                moved[k] = *(const WORD *)(in_tile + in_thread + p.in.global[k]);
#pragma unroll
        for (int k = 0; k < PASSES; k++)
            if (threadIdx.x < p.in.limit[k])
                *(WORD *)(out_tile + out_thread + p.out.global[k]) = moved[k];
    }
}
