/* Loads of what a kernel reads once, with a word to the second-level cache about it. */
#ifndef WIDELOAD_KERNELS_READ_ONCE_CUH
#define WIDELOAD_KERNELS_READ_ONCE_CUH

#include <stdint.h>

/* What createpolicy.fractional.L2::evict_last makes for all accesses, as a constant; CUDA's own
 * cuda::access_property::persisting is the same. */
#define WL_EVICT_LAST UINT64_C(0x14F0000000000000)

/* The address, for a load right there: *wl_once(p).  The lines that it brings are marked to be evicted last,
 * so that the cache makes room by writing back what the kernel writes: earlier, and more of it side by side.
 * Copies and the like gain 1 to 3 % on an H200 (docs/notes/fabric.md), and what runs afterwards loses
 * nothing.
 *
 * The load is an ordinary one: the compiler may move it, or make it conditional.  Memory that the same kernel
 * writes is therefore as safe as it is without.  GPUs before compute capability 8.0 have no such hint. */
template <class T> static __device__ __forceinline__ const T *wl_once(const T *p) {
#if __CUDA_ARCH__ >= 800
    return (const T *)__nv_associate_access_property(p, WL_EVICT_LAST);
#else
    return p;
#endif
}

#endif
