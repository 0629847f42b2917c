/* The approximate functions.  Each is computed in double and rounded once, as the hardware does: f32 to
 * nearest; halves are cut off from that, and f64 is cut to its upper word.  The hardware's own last bits
 * differ, also between architectures (docs/instructions.md says by how much).  Special values follow PTX. */
#ifndef WIDELOAD_SIM_APPROX_H
#define WIDELOAD_SIM_APPROX_H

#include "sim/exec/lanes/float.h"
#include "sim/exec/lanes/half.h"

/* Rounds a function's double value to its f32 result. */
static inline float approx_f32(double x, struct sim_modifiers m) {
    return canonical(flush_if((float)x, m.ftz));
}

/* Returns x as the function sees it. */
static inline double approx_operand(float x, struct sim_modifiers m) {
    return flush_if(x, m.ftz);
}

/* Reduces the angle x, in radians, by whole turns.  The hardware multiplies by an f32 near 1 / (2 pi) and
 * rounds towards zero, so results for large angles are inaccurate. */
static inline double radians_reduced(double x) {
    const double exact = x * 0x1.45f306p-3; /* 48 bits */
    const float near = (float)exact;
    const double turns = fabs((double)near) > fabs(exact) ? float_f32(bits_f32(near) - 1) : near;
    return fmod(turns, 1) * 6.283185307179586;
}

/* div.approx is a * (1 / b) without scaling: for |b| > 2^126 the reciprocal underflows, and the result is 0,
 * or a NaN for an infinite a.  div.full scales. */
static inline float divide_approx(float a, float b, struct sim_modifiers m) {
    const double x = approx_operand(a, m), y = approx_operand(b, m);
    const bool lost = fabs(y) > 0x1p126 && fabs(y) < INFINITY;
    return approx_f32(lost ? x * copysign(0, y) : x / y, m);
}

static inline float divide_full(float a, float b, struct sim_modifiers m) {
    return approx_f32(approx_operand(a, m) / approx_operand(b, m), m);
}

/* The f64 approximations with .ftz use only the upper 32 bits of their operand and result. */
static inline double upper_operand(double x) {
    const uint64_t bits = bits_f64(x) & ~UINT64_C(0xffffffff);
    return float_f64((bits >> 52 & 0x7ff) == 0 ? bits & UINT64_C(1) << 63 : bits);
}

static inline double upper_result(double x) {
    return x == x ? upper_operand(x) : float_f64(UINT64_C(0x7fffffff00000000));
}

static inline double rcp_upper(double x) {
    return upper_result(1 / upper_operand(x));
}

static inline double rsqrt_upper(double x) {
    const double y = upper_operand(x);
    return upper_result(y == 0 ? 1 / y : 1 / sqrt(y));
}

/* 1 / sqrt(x), accurate to about 2^-62 before the final rounding. */
static inline double rsqrt_f64(double x) {
    return x == 0 ? 1 / x : (double)(1 / sqrtl(x));
}

/* Rounds to f32, then towards zero to f16. */
static inline uint16_t f16_cut(double x) {
    const float y = (float)x;
    const uint16_t h = f16_nearest(y);
    return fabsf(f16_value(h)) > fabsf(y) ? (uint16_t)(h - 1) : h;
}

static inline uint16_t bf16_cut(double x) {
    const float y = canonical((float)x);
    return (uint16_t)(bits_f32(y) >> 16);
}

static inline uint16_t f16_ex2(uint16_t a, struct sim_modifiers m) {
    return f16_flush(f16_cut(exp2(f16_value(f16_flush(a, m)))), m);
}

static inline uint16_t bf16_ex2(uint16_t a, struct sim_modifiers m) {
    return bf16_cut(flush_if((float)exp2(flush_if(bf16_value(a), m.ftz)), m.ftz));
}

static inline uint16_t f16_tanh(uint16_t a, struct sim_modifiers m) {
    (void)m;
    return f16_cut(tanh(f16_value(a)));
}

static inline uint16_t bf16_tanh(uint16_t a, struct sim_modifiers m) {
    (void)m;
    return bf16_cut(tanh(bf16_value(a)));
}

#endif
