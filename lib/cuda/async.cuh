/* Asynchronous loads of 16 bytes from global to shared memory, by each thread of its own: cp.async.  Compute
 * capability 8.0: files that include this one are compiled with LEAST 80, and the library asks
 * wl__has_async() before it takes their kernels.
 *
 * Why they are worth it: as with bulk copies (bulk.cuh), bytes in flight occupy no registers, but lanes
 * choose where in shared memory each vector goes, and short rows cost no more than long ones.
 *
 * A warp's vectors of one line of 128 bytes of global memory have to lie in one line of 128 bytes of shared
 * memory, in any order: else the request to L2 is torn, and sectors are fetched twice.  (On an H200: rows
 * that lay 16 bytes off their places in a line took 2.6 times the requests and 1.5 times the sectors.)
 */
#ifndef WIDELOAD_KERNELS_ASYNC_CUH
#define WIDELOAD_KERNELS_ASYNC_CUH

#include "lib/cuda/read_once.cuh"

/* An address in shared memory, as wl_async_load() wants it. */
static __device__ __forceinline__ uint32_t wl_async_address(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* Both addresses are multiples of 16.  Lines are left out of the L1 cache, and marked to leave the L2 last
 * (read_once.cuh). */
static __device__ __forceinline__ void wl_async_load(uint32_t shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(__cvta_generic_to_global(global)), "l"(WL_EVICT_LAST)
                 : "memory");
}

/* The same, and the rest of the vector's line comes into the L2 too: for windows that end within a line whose
 * rest another block soon wants. */
static __device__ __forceinline__ void wl_async_load_line(uint32_t shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(__cvta_generic_to_global(global)), "l"(WL_EVICT_LAST)
                 : "memory");
}

/* The same of the 256 bytes around. */
static __device__ __forceinline__ void wl_async_load_256(uint32_t shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(__cvta_generic_to_global(global)), "l"(WL_EVICT_LAST)
                 : "memory");
}

/* The thread's loads are there; those of others after a __syncthreads(). */
static __device__ __forceinline__ void wl_async_wait(void) {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif
