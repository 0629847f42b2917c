/* Asynchronous 16-byte loads from global to shared memory, issued per thread: cp.async.  They need compute
 * capability 8.0: files that include this one are compiled with LEAST 80, and the library asks
 * wl__has_async() before it takes their kernels.
 *
 * As with bulk copies (bulk.cuh), bytes in flight occupy no registers.  In addition lanes choose the place of
 * each vector in shared memory, and short rows cost no more than long ones.
 *
 * A warp's vectors of one 128-byte line of global memory must lie in one 128-byte line of shared memory, in
 * any order.  Otherwise the request to L2 is split, and sectors are fetched twice.  (On an H200, rows that
 * lay 16 bytes off their places in a line took 2.6 times the requests and 1.5 times the sectors.)
 */
#ifndef WIDELOAD_KERNELS_ASYNC_CUH
#define WIDELOAD_KERNELS_ASYNC_CUH

#include "lib/cuda/read_once.cuh"

/* An address in shared memory, in the form that wl_async_load() takes. */
static __device__ __forceinline__ uint32_t wl_async_address(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* Both addresses are multiples of 16.  Lines bypass the L1 cache, and are marked to be evicted from L2 last
 * (read_once.cuh). */
static __device__ __forceinline__ void wl_async_load(uint32_t shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(__cvta_generic_to_global(global)), "l"(WL_EVICT_LAST)
                 : "memory");
}

/* The same, and the rest of the vector's line comes into the L2 too: for windows that end within a line whose
 * rest another block wants soon. */
static __device__ __forceinline__ void wl_async_load_line(uint32_t shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(__cvta_generic_to_global(global)), "l"(WL_EVICT_LAST)
                 : "memory");
}

/* The same with the 256 bytes around it. */
static __device__ __forceinline__ void wl_async_load_256(uint32_t shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(__cvta_generic_to_global(global)), "l"(WL_EVICT_LAST)
                 : "memory");
}

/* Waits for the thread's own loads; those of other threads are there after a __syncthreads(). */
static __device__ __forceinline__ void wl_async_wait(void) {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif
