/* Narrow elements that are packed into a word. */
#ifndef WIDELOAD_KERNELS_PACKED_CUH
#define WIDELOAD_KERNELS_PACKED_CUH

#include <stdint.h>

/* Four bytes, or two halves, each in a register's low end, as one word. */
static __device__ __forceinline__ uint32_t wl_packed_bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}
static __device__ __forceinline__ uint32_t wl_packed_halves(uint32_t a, uint32_t b) {
    return __byte_perm(a, b, 0x5410);
}

#endif
