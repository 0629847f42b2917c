/* The order of a stream, where a launch may begin early. */
#ifndef WIDELOAD_KERNELS_EARLIER_CUH
#define WIDELOAD_KERNELS_EARLIER_CUH

/* Waits until the kernels before this one in the stream have ended and their writes are visible.
 *
 * From compute capability 9.0 on, lib/launch.c lets a kernel's blocks start while the kernel before it ends,
 * which saves 0.3 us per launch (docs/notes/calls.md).  So each entry function of lib/ calls this before its
 * first access to global memory: a test holds that it is the first statement, there or in what is called
 * first, but in a few kernels that first compute what needs no memory. */
static __device__ __forceinline__ void wl_await_earlier(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#endif
