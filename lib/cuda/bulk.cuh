/* Bulk copies between global and shared memory, and the mbarrier that waits for loads.  They need compute
 * capability 9.0: files that include this one are compiled with LEAST 90, and the library asks wl__has_bulk()
 * before it takes their kernels.
 *
 * A load's bytes in flight occupy neither registers nor the L1 cache, so all of a multiprocessor's shared
 * memory can be in flight with few threads.
 *
 * Both addresses and the size are multiples of 16 bytes.  A row that begins anywhere is loaded as the window
 * of whole 16-byte parts around it.  If such a part is not wholly inside the array, at its very beginning or
 * end, ordinary loads bring its bytes, as nothing outside an array is touched.
 */
#ifndef WIDELOAD_KERNELS_BULK_CUH
#define WIDELOAD_KERNELS_BULK_CUH

#include "lib/cuda/read_once.cuh"

/* Counts arrivals and bytes in flight; 8 bytes of shared memory. */
typedef uint64_t wl_barrier;

static __device__ __forceinline__ uint32_t wl_shared_address(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* One thread calls it.  The others may use the barrier after a __syncthreads(). */
static __device__ __forceinline__ void wl_barrier_init(wl_barrier *barrier, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(wl_shared_address(barrier)), "r"(arrivals)
                 : "memory");
    /* Makes it visible to the copy engine, which completes the barrier. */
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and announces so many bytes of loads, before the loads or after them. */
static __device__ __forceinline__ void wl_barrier_expect(wl_barrier *barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(wl_shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void wl_barrier_arrive(wl_barrier *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(wl_shared_address(barrier)) : "memory");
}

/* Returns when the phase of this parity (0 for the first) is over: all have arrived, with all bytes. */
static __device__ __forceinline__ void wl_barrier_wait(wl_barrier *barrier, uint32_t parity) {
    uint32_t done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(wl_shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

/* The alignment that large copies should have in shared memory: a kernel whose copies of 8 KB lay 16 bytes
 * past a line took 5 % longer on an H200.  Dynamic shared memory follows the static, and needs an __align__
 * for that. */
#define WL_BULK_ALIGN 128

/* One thread loads bytes of global memory to shared memory; complete when the barrier says so. */
static __device__ __forceinline__ void wl_bulk_load(void *shared, const void *global, uint32_t bytes,
                                                    wl_barrier *barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            wl_shared_address(shared)),
        "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(wl_shared_address(barrier))
        : "memory");
}

/* The same for data that the kernel reads once; see read_once.cuh. */
static __device__ __forceinline__ void wl_bulk_load_once(void *shared, const void *global, uint32_t bytes,
                                                         wl_barrier *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(wl_shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(wl_shared_address(barrier)),
                 "l"(WL_EVICT_LAST)
                 : "memory");
}

/* Each thread that wrote shared memory for a bulk store calls it, before the barrier that comes between. */
static __device__ __forceinline__ void wl_bulk_fence(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* One thread stores bytes of shared memory to global memory.  wl_bulk_finish() by the same thread returns
 * when these have been read: call it before they are written again, or the block ends. */
static __device__ __forceinline__ void wl_bulk_store(void *global, const void *shared, uint32_t bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
        "r"(wl_shared_address(shared)), "r"(bytes)
        : "memory");
}

static __device__ __forceinline__ void wl_bulk_commit(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

static __device__ __forceinline__ void wl_bulk_finish(void) {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

#endif
