/* f32 and f64 arithmetic of one lane where PTX differs from C. */
#ifndef WIDELOAD_SIM_FLOAT_H
#define WIDELOAD_SIM_FLOAT_H

#include "sim/exec/inline.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

SIM_INLINE uint32_t bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SIM_INLINE float float_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

SIM_INLINE uint64_t bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SIM_INLINE double float_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Every f32 operation that generates a NaN generates this one. */
#define SIM_NAN_F32 0x7fffffffu
#define SIM_NAN_F16 0x7fffu /* also for bf16 */

SIM_INLINE float canonical(float x) {
    return float_f32(x == x ? bits_f32(x) : SIM_NAN_F32);
}

/* .ftz: a subnormal becomes a zero of the same sign. */
SIM_INLINE float flush(float x) {
    const uint32_t bits = bits_f32(x);
    return float_f32((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

SIM_INLINE float flush_if(float x, bool ftz) {
    return ftz ? flush(x) : x;
}

/* .ftz of a rounded result.  It becomes a zero if, rounded to 24 bits with an unbounded exponent, it is below
 * the least normal number; a subnormal result may have been rounded up to that number.  scaled is the same
 * result from operands that are SIM_SCALE times as large, so it is in range.  If it overflows, the result is
 * far from subnormal. */
#define SIM_SCALE 0x1p24f

SIM_INLINE float flush_rounded(float result, float scaled) {
    return float_f32(fabsf(scaled) < 0x1p-126f * SIM_SCALE ? bits_f32(result) & 0x80000000
                                                           : bits_f32(result));
}

SIM_INLINE float mul_ftz(float a, float b) {
    return flush_rounded(a * b, a * SIM_SCALE * b);
}

SIM_INLINE float fma_ftz(float a, float b, float c) {
    return flush_rounded(fmaf(a, b, c), fmaf(a * SIM_SCALE, b, c * SIM_SCALE));
}

SIM_INLINE float div_ftz(float a, float b) {
    return flush_rounded(a / b, a * SIM_SCALE / b);
}

/* .sat: clamps to [0, 1]; a NaN and -0 become +0. */
SIM_INLINE float saturate(float x) {
    return x > 0 ? (x < 1 ? x : 1) : 0.0f;
}

SIM_INLINE double saturate_f64(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0.0;
}

/* min and max: the number if one operand is a NaN, the canonical NaN if both are, and -0 < +0.  Equal values
 * differ at most in a zero's sign, so AND or OR of their bits picks the right one. */
SIM_INLINE float min_f32(float a, float b) {
    const uint32_t x = bits_f32(a), y = bits_f32(b);
    uint32_t r = a < b ? x : y;
    r = a == b ? x | y : r;
    r = b == b ? r : x;
    return canonical(float_f32(r));
}

SIM_INLINE float max_f32(float a, float b) {
    const uint32_t x = bits_f32(a), y = bits_f32(b);
    uint32_t r = a > b ? x : y;
    r = a == b ? x & y : r;
    r = b == b ? r : x;
    return canonical(float_f32(r));
}

/* .NaN: one NaN operand makes the result a NaN. */
SIM_INLINE float min_nan_f32(float a, float b) {
    return a == a && b == b ? min_f32(a, b) : float_f32(SIM_NAN_F32);
}

SIM_INLINE float max_nan_f32(float a, float b) {
    return a == a && b == b ? max_f32(a, b) : float_f32(SIM_NAN_F32);
}

/* .xorsign.abs: the min or max of the magnitudes, with the exclusive or of the signs.  A NaN result has no
 * sign. */
SIM_INLINE float xorsign(float magnitude, float a, float b) {
    return float_f32(magnitude == magnitude ? bits_f32(magnitude) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000)
                                            : SIM_NAN_F32);
}

SIM_INLINE float abs_f32(float x) {
    return float_f32(bits_f32(x) & 0x7fffffff);
}

SIM_INLINE float neg_f32(float x) {
    return float_f32(bits_f32(x) ^ 0x80000000);
}

SIM_INLINE float copysign_f32(float sign, float magnitude) {
    return float_f32((bits_f32(sign) & 0x80000000) | (bits_f32(magnitude) & 0x7fffffff));
}

SIM_INLINE double copysign_f64(double sign, double magnitude) {
    return float_f64((bits_f64(sign) & UINT64_C(1) << 63) | (bits_f64(magnitude) & INT64_MAX));
}

/* f64 operations pass on the bits of a NaN operand, made quiet; PTX does not say of which operand.  On an
 * H200 the last operand of a product or sum has priority; fma takes b's NaN first, then c's, then a's.  If no
 * operand is a NaN, the result is this one. */
#define SIM_NAN_F64 UINT64_C(0xfff8000000000000)

SIM_INLINE double quiet_f64(double x) {
    return float_f64(bits_f64(x) | UINT64_C(1) << 51);
}

SIM_INLINE double nan_of_2(double result, double a, double b) {
    return result == result ? result : b != b ? quiet_f64(b) : a != a ? quiet_f64(a) : float_f64(SIM_NAN_F64);
}

SIM_INLINE double nan_of_3(double result, double a, double b, double c) {
    return b == b && c != c ? quiet_f64(c) : nan_of_2(result, a, b);
}

/* A NaN keeps its sign: the hardware implements abs as an addition of zero. */
SIM_INLINE double abs_f64(double x) {
    return x == x ? float_f64(bits_f64(x) & INT64_MAX) : quiet_f64(x);
}

SIM_INLINE double neg_f64(double x) {
    return x == x ? float_f64(bits_f64(x) ^ UINT64_C(1) << 63) : quiet_f64(x);
}

SIM_INLINE double min_f64(double a, double b) {
    const uint64_t x = bits_f64(a), y = bits_f64(b);
    uint64_t r = a < b ? x : y;
    r = a == b ? x | y : r;
    return b == b ? float_f64(r) : a == a ? a : quiet_f64(b);
}

SIM_INLINE double max_f64(double a, double b) {
    const uint64_t x = bits_f64(a), y = bits_f64(b);
    uint64_t r = a > b ? x : y;
    r = a == b ? x & y : r;
    return b == b ? float_f64(r) : a == a ? a : quiet_f64(b);
}

/* Conversions to integers, towards zero, with the processor's own conversion.  Out-of-range values are
 * clamped.  A NaN becomes what PTX specifies: 0 from f32 to 32 bits, otherwise only the top bit. */
SIM_INLINE int32_t s32_from_f32(float x) {
    const bool in = x > -0x1p31f && x < 0x1p31f;
    const int32_t whole = (int32_t)(in ? x : 0);
    return in ? whole : x > 0 ? INT32_MAX : x < 0 ? INT32_MIN : 0;
}

SIM_INLINE uint32_t u32_from_f32(float x) {
    const bool in = x > 0 && x < 0x1p32f;
    const float y = in ? x : 0;
    const uint32_t top = y >= 0x1p31f;
    const uint32_t whole = (uint32_t)(int32_t)(top ? y - 0x1p31f : y) + (top << 31);
    return in ? whole : x > 0 ? UINT32_MAX : 0;
}

SIM_INLINE int32_t s32_from_f64(double x) {
    const bool in = x > -0x1p31 && x < 0x1p31;
    return in ? (int32_t)x : x > 0 ? INT32_MAX : INT32_MIN;
}

SIM_INLINE uint32_t u32_from_f64(double x) {
    const bool in = x > 0 && x < 0x1p32;
    return in ? (uint32_t)x : x > 0 ? UINT32_MAX : x <= 0 ? 0 : (uint32_t)INT32_MIN;
}

SIM_INLINE int64_t s64_from_f64(double x) {
    const bool in = x > -0x1p63 && x < 0x1p63;
    return in ? (int64_t)x : x > 0 ? INT64_MAX : INT64_MIN;
}

SIM_INLINE uint64_t u64_from_f64(double x) {
    const bool in = x > 0 && x < 0x1p64;
    return in ? (uint64_t)x : x > 0 ? UINT64_MAX : x <= 0 ? 0 : (uint64_t)INT64_MIN;
}

#endif
