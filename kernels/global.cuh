/* Addresses of global memory that are numbers, as a struct of parameters has them. */
#ifndef WIDELOAD_KERNELS_GLOBAL_CUH
#define WIDELOAD_KERNELS_GLOBAL_CUH

#include "index.cuh"

/* A pointer of which the compiler knows that it is to global memory: other accesses would be generic. */
static __device__ __forceinline__ uint8_t *wl_global(uint64_t address) {
    return (uint8_t *)__cvta_global_to_generic(address);
}

#endif
