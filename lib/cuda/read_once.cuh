/* Loads of data that a kernel reads once, with an L2 eviction hint. */
#ifndef WIDELOAD_KERNELS_READ_ONCE_CUH
#define WIDELOAD_KERNELS_READ_ONCE_CUH

#include <stdint.h>

#include "lib/cuda/hints.h"

/* The address, for a load on the spot: *wl_once(p).  The lines that it brings are marked to be evicted last.
 * So the cache makes room by writing back what the kernel writes, earlier and in longer contiguous runs.
 * Copies and the like gain 1 to 3 % on an H200 (docs/notes/fabric.md; also on what they leave in the cache).
 *
 * The load is an ordinary one: the compiler may move it, or make it conditional.  So memory that the same
 * kernel writes is as safe as without the hint.  GPUs before compute capability 8.0 have no such hint.
 *
 * The hint costs 2.6 us where the L2 still holds part of the array from the call before.  So some kernels are
 * told which hint to give. */
template <class T> static __device__ __forceinline__ const T *wl_once(const T *p, uint64_t hint) {
#if __CUDA_ARCH__ >= 800
    return (const T *)__nv_associate_access_property(p, hint);
#else
    return p;
#endif
}

template <class T> static __device__ __forceinline__ const T *wl_once(const T *p) {
    return wl_once(p, WL_EVICT_LAST);
}

/* 16 bytes of global memory, if wanted.  What the cache lacks of the 256 bytes around them is loaded too: for
 * pieces of rows that begin anywhere, where other blocks want the rest soon.
 *
 * It is one load under a predicate, which the compiler may move as well: a branch around it would separate it
 * from the thread's other loads, and cost more than the hint gains. */
static __device__ __forceinline__ uint4 wl_load_once_256(const void *p, bool wanted) {
    uint4 vector;
#if __CUDA_ARCH__ >= 800
    asm("{\n\t.reg .pred wanted;\n\t"
        "setp.ne.b32 wanted, %5, 0;\n\t"
        "@wanted ld.global.L2::cache_hint.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4], %6;\n\t}"
        : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
        : "l"(__cvta_generic_to_global(p)), "r"((int)wanted), "l"(WL_EVICT_LAST));
#else
    if (wanted)
        vector = *(const uint4 *)p;
#endif
    return vector;
}

#endif
