/* Sums of two arrays of any of wl_add's types, each rounded once. */
#include <string.h>

#include "bench/parallel.h"
#include "bench/reference.h"

enum { GRAIN = 1 << 15 };

struct sum {
    const unsigned char *a, *b;
    unsigned char *out;
};

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Drops the lowest `drop` bits, rounding to nearest, ties to even. */
static uint32_t rounded(uint32_t bits, unsigned drop) {
    return (bits + ((1u << (drop - 1)) - 1) + (bits >> drop & 1)) >> drop;
}

/* f16 to f32, exact.  A subnormal's bits are its value in units of 2^-24. */
static float float_of_half(uint32_t half) {
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 0)
        return float_of(sign | bits_of((float)fraction * 0x1p-24f));
    return float_of(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
}

/* f32 to f16.  Sums of the inputs are never NaN. */
static uint32_t half_of_float(float value) {
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x47800000) /* 2^16 or more, also infinity */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* below 2^-14: adding 2^-1 rounds to a multiple of 2^-24 */
        return sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f));
    }
    return sign |
           rounded(magnitude - (112u << 23), 13); /* from 65520 on, this rounds up to the bits of infinity */
}

/* f32 has at least 2p + 2 bits of precision for the p bits of f16 and bf16.  So a sum rounded to f32 and then
 * to the narrow type is the same as the sum rounded once. */
static uint32_t add_half(uint32_t a, uint32_t b) {
    return half_of_float(float_of_half(a) + float_of_half(b));
}

static uint32_t add_brain(uint32_t a, uint32_t b) {
    return rounded(bits_of(float_of(a << 16) + float_of(b << 16)), 16);
}

static void sum_f16(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        uint16_t a, b, c;
        memcpy(&a, sum->a + 2 * i, 2);
        memcpy(&b, sum->b + 2 * i, 2);
        c = (uint16_t)add_half(a, b);
        memcpy(sum->out + 2 * i, &c, 2);
    }
}

static void sum_bf16(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        uint16_t a, b, c;
        memcpy(&a, sum->a + 2 * i, 2);
        memcpy(&b, sum->b + 2 * i, 2);
        c = (uint16_t)add_brain(a, b);
        memcpy(sum->out + 2 * i, &c, 2);
    }
}

static void sum_f32(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        float a, b;
        memcpy(&a, sum->a + 4 * i, 4);
        memcpy(&b, sum->b + 4 * i, 4);
        a += b;
        memcpy(sum->out + 4 * i, &a, 4);
    }
}

static void sum_f64(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        double a, b;
        memcpy(&a, sum->a + 8 * i, 8);
        memcpy(&b, sum->b + 8 * i, 8);
        a += b;
        memcpy(sum->out + 8 * i, &a, 8);
    }
}

static void sum_8(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++)
        sum->out[i] = (unsigned char)(sum->a[i] + sum->b[i]);
}

static void sum_16(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        uint16_t a, b;
        memcpy(&a, sum->a + 2 * i, 2);
        memcpy(&b, sum->b + 2 * i, 2);
        a = (uint16_t)(a + b);
        memcpy(sum->out + 2 * i, &a, 2);
    }
}

static void sum_32(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        uint32_t a, b;
        memcpy(&a, sum->a + 4 * i, 4);
        memcpy(&b, sum->b + 4 * i, 4);
        a += b;
        memcpy(sum->out + 4 * i, &a, 4);
    }
}

static void sum_64(void *argument, uint64_t first, uint64_t last) {
    const struct sum *sum = argument;
    for (uint64_t i = first; i < last; i++) {
        uint64_t a, b;
        memcpy(&a, sum->a + 8 * i, 8);
        memcpy(&b, sum->b + 8 * i, 8);
        a += b;
        memcpy(sum->out + 8 * i, &a, 8);
    }
}

void bench_reference_add_type(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                              uint32_t *const out[BENCH_OUTPUTS]) {
    static bench_range_fn *const sums[] = {
        [WL_TYPE_I8] = sum_8,    [WL_TYPE_I16] = sum_16,    [WL_TYPE_I32] = sum_32,  [WL_TYPE_I64] = sum_64,
        [WL_TYPE_U8] = sum_8,    [WL_TYPE_U16] = sum_16,    [WL_TYPE_U32] = sum_32,  [WL_TYPE_U64] = sum_64,
        [WL_TYPE_F16] = sum_f16, [WL_TYPE_BF16] = sum_bf16, [WL_TYPE_F32] = sum_f32, [WL_TYPE_F64] = sum_f64,
    };
    uint64_t width = problem->width;
    struct sum sum = {(const unsigned char *)in[0] + width * problem->from_shift,
                      (const unsigned char *)in[1], (unsigned char *)out[0] + width * problem->to_shift};
    bench_parallel(problem->n, GRAIN, sums[problem->type], &sum);
}
