/* Addresses of global memory that are numbers, as in a struct of parameters. */
#ifndef WIDELOAD_KERNELS_GLOBAL_CUH
#define WIDELOAD_KERNELS_GLOBAL_CUH

#include "lib/cuda/index.cuh"

/* A pointer that the compiler knows is to global memory: other accesses would be generic. */
static __device__ __forceinline__ uint8_t *wl_global(uint64_t address) {
    return (uint8_t *)__cvta_global_to_generic(address);
}

/* Divides a block's number by a number of blocks: 64 bits only if they are needed. */
static __device__ __forceinline__ uint64_t wl_divide(uint64_t a, uint64_t b) {
    return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

#endif
