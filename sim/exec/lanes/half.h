/* f16 and bf16.  Every value is exact in double; each result is rounded once, from the exact one. */
#ifndef WIDELOAD_SIM_HALF_H
#define WIDELOAD_SIM_HALF_H

#include "sim/exec/insn.h"
#include "sim/exec/lanes/float.h"

/* f16 to f32: exact; a NaN becomes the canonical one. */
SIM_INLINE float f16_value(uint16_t h) {
    /* Shifted into f32's fields, the exponent is 112 too small; a multiplication corrects that, and
     * normalizes subnormals. */
    const uint32_t magnitude = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
    const uint32_t finite = bits_f32(float_f32(magnitude) * 0x1p112f);
    return float_f32(magnitude < 0x0f800000    ? finite | sign
                     : magnitude == 0x0f800000 ? 0x7f800000 | sign
                                               : SIM_NAN_F32);
}

/* bf16 to f32: becomes the upper half; NaNs keep all their bits. */
SIM_INLINE float bf16_value(uint16_t h) {
    return float_f32((uint32_t)h << 16);
}

/* f32 to f16, to nearest, ties to even. */
SIM_INLINE uint16_t f16_nearest(float x) {
    const uint32_t bits = bits_f32(x), magnitude = bits & 0x7fffffff;
    /* Normal results: rebias the exponent; add just under half of the last place, or half if it is odd. */
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* Subnormal results: adding 1/2 leaves them in the sum's low bits, rounded by the addition. */
    const uint32_t tiny = bits_f32(float_f32(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t h = magnitude > 0x7f800000    ? SIM_NAN_F16
                       : magnitude >= 0x477ff000 ? 0x7c00
                       : magnitude < 0x38800000  ? tiny
                                                 : normal;
    return (uint16_t)(magnitude > 0x7f800000 ? h : h | (bits >> 16 & 0x8000));
}

/* f32 to bf16, likewise. */
SIM_INLINE uint16_t bf16_nearest(float x) {
    const uint32_t bits = bits_f32(x);
    return (uint16_t)(x == x ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : SIM_NAN_F16);
}

/* a * b + c rounded to odd: if it is inexact, to the neighbour whose last bit is set.  Rounding those 53 bits
 * again, to at most 51, gives the rounded exact result (Boldo and Melquiond, 2008).  a * b must be exact in
 * double, as it is for all f16 and bf16 values. */
SIM_INLINE double odd_fma(double a, double b, double c) {
    const double p = a * b, s = p + c;
    const double back = s - p, error = (p - (s - back)) + (c - back);
    const uint64_t bits = bits_f64(s);
    if (!(fabs(s) <= 0x1p1000) || error == 0 || (bits & 1))
        return s;
    return float_f64((error > 0) == (s > 0) ? bits + 1 : bits - 1);
}

/* Rounds a double to an odd f32: with its 24 bits, rounding again to f16 or bf16 is correct. */
SIM_INLINE float odd_f32(double x) {
    const float y = (float)x;
    const uint32_t bits = bits_f32(y);
    if (!(fabsf(y) < INFINITY) || (double)y == x || (bits & 1))
        return y; /* infinity: beyond every bf16 too */
    return float_f32(fabs((double)y) < fabs(x) ? bits + 1 : bits - 1);
}

SIM_INLINE uint16_t f16_round(double x) {
    return f16_nearest(odd_f32(x));
}

SIM_INLINE uint16_t bf16_round(double x) {
    return bf16_nearest(odd_f32(x));
}

/* .ftz and .sat of f16, .relu of both types: a negative result becomes +0, a NaN the canonical one. */
SIM_INLINE uint16_t f16_flush(uint16_t h, struct sim_modifiers m) {
    return m.ftz && (h & 0x7c00) == 0 ? h & 0x8000 : h;
}

/* Rounds x.  .ftz flushes a value that, rounded to 11 bits with an unbounded exponent, is below the least
 * normal number; f16_nearest() may have rounded it up to that number. */
SIM_INLINE uint16_t f16_finish(float x, struct sim_modifiers m) {
    uint16_t h = f16_nearest(x);
    if (m.ftz && fabsf(x) < 0x1.ffep-15f)
        h &= 0x8000;
    if (m.sat)
        h = h > 0x7c00 ? 0 : h > 0x3c00 ? 0x3c00 : h;
    return h;
}

SIM_INLINE uint16_t half_relu(uint16_t h) {
    return h & 0x8000 ? 0 : h;
}

/* abs and neg: a NaN becomes the canonical one. */
SIM_INLINE uint16_t f16_canonical(uint16_t h) {
    return (h & 0x7fff) > 0x7c00 ? SIM_NAN_F16 : h;
}

SIM_INLINE uint16_t bf16_canonical(uint16_t h) {
    return (h & 0x7fff) > 0x7f80 ? SIM_NAN_F16 : h;
}

/* f32 has 2 * 11 + 2 bits, so rounding a sum or product of f16 twice is correct.  The same holds for sums of
 * bf16; products of bf16 may be below f32's range. */
SIM_INLINE uint16_t f16_add(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_finish(f16_value(f16_flush(a, m)) + f16_value(f16_flush(b, m)), m);
}

SIM_INLINE uint16_t f16_sub(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_finish(f16_value(f16_flush(a, m)) - f16_value(f16_flush(b, m)), m);
}

SIM_INLINE uint16_t f16_mul(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_finish(f16_value(f16_flush(a, m)) * f16_value(f16_flush(b, m)), m);
}

SIM_INLINE uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c, struct sim_modifiers m) {
    const double x = f16_value(f16_flush(a, m)), y = f16_value(f16_flush(b, m)),
                 z = f16_value(f16_flush(c, m));
    return f16_finish(odd_f32(odd_fma(x, y, z)), m);
}

SIM_INLINE uint16_t bf16_add(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_nearest(bf16_value(a) + bf16_value(b));
}

SIM_INLINE uint16_t bf16_sub(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_nearest(bf16_value(a) - bf16_value(b));
}

SIM_INLINE uint16_t bf16_mul(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_round((double)bf16_value(a) * bf16_value(b));
}

SIM_INLINE uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c, struct sim_modifiers m) {
    (void)m;
    return bf16_round(odd_fma(bf16_value(a), bf16_value(b), bf16_value(c)));
}

/* min and max choose one of their operands by its f32 value. */
SIM_INLINE uint16_t f16_min(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_nearest(min_f32(f16_value(f16_flush(a, m)), f16_value(f16_flush(b, m))));
}

SIM_INLINE uint16_t f16_max(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_nearest(max_f32(f16_value(f16_flush(a, m)), f16_value(f16_flush(b, m))));
}

SIM_INLINE uint16_t f16_min_nan(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_nearest(min_nan_f32(f16_value(f16_flush(a, m)), f16_value(f16_flush(b, m))));
}

SIM_INLINE uint16_t f16_max_nan(uint16_t a, uint16_t b, struct sim_modifiers m) {
    return f16_nearest(max_nan_f32(f16_value(f16_flush(a, m)), f16_value(f16_flush(b, m))));
}

SIM_INLINE uint16_t bf16_min(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_nearest(min_f32(bf16_value(a), bf16_value(b)));
}

SIM_INLINE uint16_t bf16_max(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_nearest(max_f32(bf16_value(a), bf16_value(b)));
}

SIM_INLINE uint16_t bf16_min_nan(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_nearest(min_nan_f32(bf16_value(a), bf16_value(b)));
}

SIM_INLINE uint16_t bf16_max_nan(uint16_t a, uint16_t b, struct sim_modifiers m) {
    (void)m;
    return bf16_nearest(max_nan_f32(bf16_value(a), bf16_value(b)));
}

/* .xorsign.abs, from the min or max of the magnitudes. */
SIM_INLINE uint16_t half_xorsign(uint16_t magnitude, uint16_t a, uint16_t b) {
    return magnitude == SIM_NAN_F16 ? magnitude : magnitude | ((a ^ b) & 0x8000);
}

#endif
