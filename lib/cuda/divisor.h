/* Division by numbers that the host knows and a kernel does not: plain C for both sides. */
#ifndef WIDELOAD_KERNELS_DIVISOR_H
#define WIDELOAD_KERNELS_DIVISOR_H

#include <stdint.h>

#ifdef __CUDACC__
#define WL_BOTH_SIDES static __device__ __forceinline__
#else
#define WL_BOTH_SIDES static inline
#endif

/* reciprocal is floor((2^32 - 1) / count). */
struct wl_divisor {
    uint32_t count, reciprocal;
};

#ifndef __CUDACC__
/* count: 1 to 2^32 - 1. */
static inline struct wl_divisor wl_divisor(uint64_t count) {
    return (struct wl_divisor){(uint32_t)count, (uint32_t)(UINT32_MAX / count)};
}
#endif

/* n / count and the remainder, for any n, by one multiplication and one correction: the product with the
 * reciprocal is the quotient or one less. */
WL_BOTH_SIDES uint32_t wl_divide(uint32_t n, struct wl_divisor by, uint32_t *rest) {
    uint32_t quotient = (uint32_t)(((uint64_t)n * by.reciprocal) >> 32);
    *rest = n - quotient * by.count;
    if (*rest >= by.count) {
        *rest -= by.count;
        quotient++;
    }
    return quotient;
}

#endif
