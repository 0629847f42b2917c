/* f32 and f64: min, max, abs, neg, copysign, on bits. */
#include "tests/exec/lanes/reference.h"

#include <stdio.h>

static uint64_t flush(uint64_t x, bool ftz) {
    return ftz && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

/* An order of all numbers with -0 below +0: that of the bits, reversed for negative ones. */
static int64_t rank(uint64_t bits, bool f64) {
    const int64_t value = f64 ? (int64_t)bits : (int64_t)(int32_t)bits;
    return value < 0 ? (f64 ? INT64_MIN : INT32_MIN) - value - 1 : value;
}

static bool is_nan(uint64_t bits, bool f64) {
    return f64 ? as_f64(bits) != as_f64(bits) : as_f32(bits) != as_f32(bits);
}

static uint64_t choose(uint64_t a, uint64_t b, bool most, bool nan, bool f64) {
    if (is_nan(a, f64) || is_nan(b, f64)) {
        if (nan || (is_nan(a, f64) && is_nan(b, f64)))
            return f64 ? b | UINT64_C(1) << 51 : 0x7fffffff; /* f64: the last one, made quiet */
        return is_nan(a, f64) ? b : a;
    }
    return (rank(a, f64) > rank(b, f64)) == most ? a : b;
}

static bool most, ftz, nan_wins, xorsign_abs;

static uint64_t min_max_f32(const uint64_t *v) {
    const uint64_t a = flush(v[0], ftz), b = flush(v[1], ftz);
    if (!xorsign_abs)
        return choose(a, b, most, nan_wins, false);
    const uint64_t r = choose(a & 0x7fffffff, b & 0x7fffffff, most, nan_wins, false);
    return is_nan(r, false) ? r : r | ((a ^ b) & 0x80000000);
}

static uint64_t min_max_f64(const uint64_t *v) {
    return choose(v[0], v[1], most, false, true);
}

static void min_and_max(void **state) {
    (void)state;
    for (unsigned k = 0; k < 16; k++) {
        char name[64];
        most = k & 1, ftz = k & 2, nan_wins = k & 4, xorsign_abs = k & 8;
        snprintf(name, sizeof name, "%s%s%s%s.f32", most ? "max" : "min", ftz ? ".ftz" : "",
                 nan_wins ? ".NaN" : "", xorsign_abs ? ".xorsign.abs" : "");
        check_op(name, min_max_f32);
    }
    most = false;
    check_op("min.f64", min_max_f64);
    most = true;
    check_op("max.f64", min_max_f64);
}

/* A sign change makes f32's NaN canonical, and f64's quiet with its sign kept. */
static uint64_t signed_f32(uint64_t bits) {
    return is_nan(bits, false) ? 0x7fffffff : bits;
}
static uint64_t signed_f64(uint64_t bits, uint64_t before) {
    return is_nan(before, true) ? before | UINT64_C(1) << 51 : bits;
}
static uint64_t abs_f32(const uint64_t *v) {
    return signed_f32(v[0] & 0x7fffffff);
}
static uint64_t abs_ftz(const uint64_t *v) {
    return signed_f32(flush(v[0], true) & 0x7fffffff);
}
static uint64_t neg_f32(const uint64_t *v) {
    return signed_f32(v[0] ^ 0x80000000);
}
static uint64_t neg_ftz(const uint64_t *v) {
    return signed_f32(flush(v[0], true) ^ 0x80000000);
}
static uint64_t abs_f64(const uint64_t *v) {
    return signed_f64(v[0] & 0x7fffffffffffffff, v[0]);
}
static uint64_t neg_f64(const uint64_t *v) {
    return signed_f64(v[0] ^ 0x8000000000000000, v[0]);
}
static uint64_t copysign_f32(const uint64_t *v) {
    return (v[0] & 0x80000000) | (v[1] & 0x7fffffff);
}
static uint64_t copysign_f64(const uint64_t *v) {
    return (v[0] & 0x8000000000000000) | (v[1] & 0x7fffffffffffffff);
}

static const struct checked_op ops[] = {
    {"abs.f32", abs_f32},           {"abs.ftz.f32", abs_ftz},       {"neg.f32", neg_f32},
    {"neg.ftz.f32", neg_ftz},       {"abs.f64", abs_f64},           {"neg.f64", neg_f64},
    {"copysign.f32", copysign_f32}, {"copysign.f64", copysign_f64},
};

static void signs(void **state) {
    (void)state;
    CHECK_ALL(ops);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(min_and_max), cmocka_unit_test(signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
