/* Permutes dimensions through tiles in shared memory: WL_WIDTH bytes an element, loads of WL_IN bytes along
 * the input's last dimension and stores of WL_OUT bytes along the output's.
 */
#include "permute.cuh"

#ifndef WL_PIPE
#define WL_PIPE 1
#endif
#define WL_PASTE_(a, b) a##b
#define WL_PASTE(a, b)  WL_PASTE_(a, b)

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
extern __shared__ uint4 wl_permute_memory[];
#endif

#define ELEMENT      WL_PASTE(wl_word_, WL_WIDTH)
#define IN_WORD      WL_PASTE(wl_word_, WL_IN)
#define OUT_WORD     WL_PASTE(wl_word_, WL_OUT)
#define IN_PASSES    WL_PASTE(WL_PASSES_, WL_IN)
#define OUT_PASSES   WL_PASTE(WL_PASSES_, WL_OUT)
#define IN_ELEMENTS  (WL_IN / WL_WIDTH)
#define OUT_ELEMENTS (WL_OUT / WL_WIDTH)

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const __grid_constant__ struct wl_permute_tiles p) {
    unsigned char *memory = (unsigned char *)wl_permute_memory;
    uint32_t in_shared, out_shared;
    uint64_t in_thread, out_thread, in_tile, out_tile;
    wl_thread_place(p.in, &in_shared, &in_thread);
    wl_thread_place(p.out, &out_shared, &out_thread);
    uint32_t tile = blockIdx.x;
    wl_tile_place(p, tile, &in_tile, &out_tile);
    union in_access {
        IN_WORD word;
        ELEMENT element[IN_ELEMENTS];
    } moved[IN_PASSES];
#pragma unroll
    for (int k = 0; k < IN_PASSES; k++)
        if (threadIdx.x < p.in.limit[k])
            moved[k].word = *(const IN_WORD *)(in_tile + in_thread + p.in.global[k]);
    for (;;) {
#pragma unroll
        for (int k = 0; k < IN_PASSES; k++)
            if (threadIdx.x < p.in.limit[k]) {
#pragma unroll
                for (int j = 0; j < IN_ELEMENTS; j++)
                    *(ELEMENT *)(memory + in_shared + p.in.shared[k] + j * p.in.step) = moved[k].element[j];
            }
        __syncthreads();
        uint64_t to = out_tile + out_thread;
        uint32_t next = tile + gridDim.x;
        bool more = next < p.tiles;
#if WL_PIPE
        if (more) {
            wl_tile_place(p, next, &in_tile, &out_tile);
#pragma unroll
            for (int k = 0; k < IN_PASSES; k++)
                if (threadIdx.x < p.in.limit[k])
                    moved[k].word = *(const IN_WORD *)(in_tile + in_thread + p.in.global[k]);
        }
#endif
#pragma unroll
        for (int k = 0; k < OUT_PASSES; k++)
            if (threadIdx.x < p.out.limit[k]) {
                union {
                    OUT_WORD word;
                    ELEMENT element[OUT_ELEMENTS];
                } access;
#pragma unroll
                for (int j = 0; j < OUT_ELEMENTS; j++)
                    access.element[j] =
                        *(const ELEMENT *)(memory + out_shared + p.out.shared[k] + j * p.out.step);
                *(OUT_WORD *)(to + p.out.global[k]) = access.word;
            }
        if (!more)
            break;
        tile = next;
#if !WL_PIPE
        wl_tile_place(p, next, &in_tile, &out_tile);
#pragma unroll
        for (int k = 0; k < IN_PASSES; k++)
            if (threadIdx.x < p.in.limit[k])
                moved[k].word = *(const IN_WORD *)(in_tile + in_thread + p.in.global[k]);
#endif
        __syncthreads();
    }
}
