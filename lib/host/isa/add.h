/* Sums.  out may be a or b. */
#ifndef WIDELOAD_LIB_HOST_ADD_H
#define WIDELOAD_LIB_HOST_ADD_H

#include "lib/host/isa/vector.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

/* Before a loop: no iteration reads what another one wrote. */
#ifdef __clang__
#define WL_EACH_ALONE
#else
#define WL_EACH_ALONE _Pragma("GCC ivdep")
#endif

#define WL_SUM(name, type)                                                                                   \
    static void add_##name(void *out, const void *a, const void *b, uint64_t n) {                            \
        type *to = out;                                                                                      \
        const type *x = a, *y = b;                                                                           \
        WL_EACH_ALONE for (uint64_t i = 0; i < n; i++) to[i] = (type)(x[i] + y[i]);                          \
    }
WL_SUM(8, uint8_t)
WL_SUM(16, uint16_t)
WL_SUM(32, uint32_t)
WL_SUM(64, uint64_t)
WL_SUM(f32, float)
WL_SUM(f64, double)

WL_INLINE float wl_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
WL_INLINE uint32_t wl_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* Sums of two halves, and of two bfloat16, are rounded to float first and then once more.  The result is that
 * of one rounding: a float has more than twice their digits, and two more. */
WL_INLINE uint16_t wl_add_bf16(uint16_t a, uint16_t b) {
    const float sum = wl_float((uint32_t)a << 16) + wl_float((uint32_t)b << 16);
    const uint32_t bits = wl_bits(sum), rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (uint16_t)((sum != sum ? bits | 0x400000 : rounded) >> 16);
}

static void add_bf16(void *out, const void *a, const void *b, uint64_t n) {
    uint16_t *to = out;
    const uint16_t *x = a, *y = b;
    WL_EACH_ALONE for (uint64_t i = 0; i < n; i++) to[i] = wl_add_bf16(x[i], y[i]);
}

/* From half to float, exactly.  The factor 2^112 brings the exponent from one bias to the other, for
 * subnormals too. */
WL_INLINE float wl_from_half(uint16_t half) {
    const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t bits = wl_bits(wl_float(magnitude) * 0x1p112f);
    return wl_float(sign | (magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : bits));
}

WL_INLINE uint16_t wl_to_half(float value) {
    const uint32_t bits = wl_bits(value), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    /* Below 2^-14: the sum with 0.5 has the half's last bit as its last. */
    const uint32_t small = wl_bits(wl_float(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const uint32_t special = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x1ff) : 0x7c00;
    return (uint16_t)(sign | (magnitude < 0x38800000 ? small : magnitude < 0x477ff000 ? normal : special));
}

static void add_f16(void *out, const void *a, const void *b, uint64_t n) {
    uint16_t *to = out;
    const uint16_t *x = a, *y = b;
    uint64_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8) {
        const __m256 sum = _mm256_add_ps(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))),
                                         _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(y + i))));
        _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    WL_EACH_ALONE for (; i < n; i++) to[i] = wl_to_half(wl_from_half(x[i]) + wl_from_half(y[i]));
}

#endif
