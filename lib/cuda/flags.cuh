/* Flags in global memory, by which blocks of a launch wait for each other.
 *
 * A block's reads and writes before a barrier come before the flag that one of its threads then sets.  What
 * follows the read that sees the flag, and a barrier, comes after it: a release and an acquire of the PTX
 * memory model.  Compute capability 7.0 and later.
 */
#ifndef WIDELOAD_KERNELS_FLAGS_CUH
#define WIDELOAD_KERNELS_FLAGS_CUH

static __device__ __forceinline__ unsigned wl_flag(const unsigned *flag) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(__cvta_generic_to_global(flag))
                 : "memory");
    return value;
}

/* Reads a flag without ordering.  (A volatile read would use a generic address, which takes registers.) */
static __device__ __forceinline__ unsigned wl_peek(const unsigned *flag) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(__cvta_generic_to_global(flag))
                 : "memory");
    return value;
}

static __device__ __forceinline__ void wl_set_flag(unsigned *flag, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(value)
                 : "memory");
}

static __device__ __forceinline__ void wl_set_bits_of_flag(unsigned *flag, unsigned bits) {
    asm volatile("red.release.gpu.global.or.b32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(bits)
                 : "memory");
}

#endif
