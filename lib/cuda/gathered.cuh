/* A vector of the output, made of WL_EACH elements that a thread gathers one by one. */
#ifndef WIDELOAD_KERNELS_GATHERED_CUH
#define WIDELOAD_KERNELS_GATHERED_CUH

#include "lib/cuda/element.cuh"

union wl_vector {
    uint4 whole;
    uint32_t words[4];
    wl_element wide[WL_EACH];
};

/* Sets element k of the vector, which is 0 before. */
static __device__ __forceinline__ void wl_put(wl_vector &vector, int k, wl_element element) {
#if WL_WIDTH < 4
    vector.words[k * WL_WIDTH / 4] |= (uint32_t)element << k * WL_WIDTH % 4 * 8;
#else
    vector.wide[k] = element;
#endif
}

#endif
