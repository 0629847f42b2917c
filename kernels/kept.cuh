/* Loads of a matrix that is read once, in rows with a pitch, while another is written: their lines are the
 * last that the L2 cache gives up.  Measured on an H200, this is worth 1 to 8 % of a transpose (written lines
 * leave sooner, and what the next tile reads of a sector or of 256 bytes is still there); the other priorities,
 * and stores with any, lose.  Lines that are left behave as any others afterwards.
 *
 * Where the compute capability has no such loads they are ordinary ones. */
#ifndef WIDELOAD_KERNELS_KEPT_CUH
#define WIDELOAD_KERNELS_KEPT_CUH

#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* One load under a predicate: a branch around it would part it from the thread's other loads. */
#define WL_LOAD_KEPT(prefetch)                                                                               \
    asm("{\n\t.reg .pred wanted;\n\t.reg .b64 policy;\n\t"                                                   \
        "setp.ne.b32 wanted, %5, 0;\n\t"                                                                     \
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n\t"                                        \
        "@wanted ld.global.L2::cache_hint" prefetch ".v4.u32 {%0, %1, %2, %3}, [%4], policy;\n\t}"           \
        : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)                                     \
        : "l"(__cvta_generic_to_global(address)), "r"((int)wanted))
#else
#define WL_LOAD_KEPT(prefetch)                                                                               \
    if (wanted)                                                                                              \
    vector = *(const uint4 *)address
#endif

/* 16 bytes, where they are wanted. */
static __device__ __forceinline__ uint4 wl_load_kept(const void *address, bool wanted) {
    uint4 vector;
    WL_LOAD_KEPT("");
    return vector;
}

/* The same; what is not in the cache comes with the 256 bytes around it, of which others will want the rest. */
static __device__ __forceinline__ uint4 wl_load_kept_256(const void *address, bool wanted) {
    uint4 vector;
    WL_LOAD_KEPT(".L2::256B");
    return vector;
}

#endif
