/* Addresses of global memory that are numbers, as a struct of parameters has them. */
#ifndef WIDELOAD_KERNELS_GLOBAL_CUH
#define WIDELOAD_KERNELS_GLOBAL_CUH

#include "lib/cuda/index.cuh"

/* A pointer of which the compiler knows that it is to global memory: other accesses would be generic. */
static __device__ __forceinline__ uint8_t *wl_global(uint64_t address) {
    return (uint8_t *)__cvta_global_to_generic(address);
}

/* A block's number by a number of blocks: 64 bits only where they are needed. */
static __device__ __forceinline__ uint64_t wl_divide(uint64_t a, uint64_t b) {
    return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

#endif
