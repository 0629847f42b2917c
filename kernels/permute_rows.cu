/* Permutes dimensions where the last one keeps its place: whole rows move, by accesses of WL_WIDTH bytes. */
#include "permute.cuh"
#ifndef WIDELOAD_PERMUTE_WORDS
#define WIDELOAD_PERMUTE_WORDS
typedef uint8_t wl_word_1;
typedef uint16_t wl_word_2;
typedef uint32_t wl_word_4;
typedef uint2 wl_word_8;
typedef uint4 wl_word_16;
#define WL_PASTE_(a, b) a##b
#define WL_PASTE(a, b)  WL_PASTE_(a, b)
#endif
#define WORD WL_PASTE(wl_word_, WL_WIDTH)

extern "C" __global__ void __launch_bounds__(256, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_tiles p) {
    uint32_t unused;
    uint64_t in, out, in_tile, out_tile;
    wl_tile_place(p, blockIdx.x, &in_tile, &out_tile);
    wl_thread_place(p.in, &unused, &in);
    wl_thread_place(p.out, &unused, &out);
    in += in_tile;
    out += out_tile;
    WORD moved[WL_PERMUTE_PASSES];
#pragma unroll
    for (int k = 0; k < WL_PERMUTE_PASSES; k++)
        if (threadIdx.x < p.in.limit[k])
            moved[k] = *(const WORD *)(in + p.in.global[k]);
#pragma unroll
    for (int k = 0; k < WL_PERMUTE_PASSES; k++)
        if (threadIdx.x < p.in.limit[k])
            *(WORD *)(out + p.out.global[k]) = moved[k];
}
