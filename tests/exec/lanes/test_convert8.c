/* cvt to and from pairs of 8-bit floats: every byte, and numbers against the nearest of all bytes. */
#include "tests/exec/lanes/reference.h"

#include <math.h>
#include <stdio.h>

static bool five; /* e5m2; otherwise e4m3 */
static bool relu;

/* Only e5m2 has infinities. */
static double value_of(unsigned byte) {
    const int mantissa_bits = five ? 2 : 3, bias = five ? 15 : 7;
    const int exponent = (byte & 0x7f) >> mantissa_bits, mantissa = (int)(byte & ((1u << mantissa_bits) - 1));
    double x;
    if (five ? exponent == 31 : (byte & 0x7f) == 0x7f)
        x = five && !mantissa ? INFINITY : NAN;
    else if (exponent)
        x = ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
    else
        x = ldexp(mantissa, 1 - bias - mantissa_bits);
    return byte & 0x80 ? -x : x;
}

/* The nearest finite byte; the even one of two. */
static unsigned byte_of(double x) {
    if (x != x)
        return 0x7f;
    unsigned best = 0;
    for (unsigned byte = 0; byte < 0x80 && isfinite(value_of(byte)); byte++) {
        const double x_or_most = fmin(fabs(x), 1e6); /* beyond all bytes, but able to tell two apart */
        const double off = fabs(value_of(byte) - x_or_most), least = fabs(value_of(best) - x_or_most);
        if (off < least || (off == least && !(byte & 1)))
            best = byte;
    }
    if (relu && signbit(x))
        return 0;
    return best | (signbit(x) ? 0x80 : 0);
}

static uint64_t from_singles(const uint64_t *v) {
    return byte_of(as_f32(v[1])) | byte_of(as_f32(v[0])) << 8;
}

static double half_value(unsigned half) {
    const int exponent = (half & 0x7fff) >> 10, mantissa = half & 0x3ff;
    const double x = exponent == 31 ? mantissa ? NAN : INFINITY
                     : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                    : ldexp(mantissa, -24);
    return half & 0x8000 ? -x : x;
}

static uint64_t from_halves(const uint64_t *v) {
    return byte_of(half_value(v[0] & 0xffff)) | byte_of(half_value(v[0] >> 16 & 0xffff)) << 8;
}

static void to_bytes(void **state) {
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        five = k & 1, relu = k & 2;
        char name[48];
        snprintf(name, sizeof name, "cvt.rn.satfinite%s.%sx2.f32", relu ? ".relu" : "",
                 five ? "e5m2" : "e4m3");
        check_op(name, from_singles);
        snprintf(name, sizeof name, "cvt.rn.satfinite%s.%sx2.f16x2", relu ? ".relu" : "",
                 five ? "e5m2" : "e4m3");
        check_op(name, from_halves);
    }
}

/* All numbers on a byte, halfway between two, and directly next to these. */
static void every_boundary(void **state) {
    (void)state;
    relu = false;
    for (unsigned k = 0; k < 2; k++) {
        five = k;
        struct fake fake;
        fake_begin(&fake, five ? "cvt.rn.satfinite.e5m2x2.f32" : "cvt.rn.satfinite.e4m3x2.f32");
        for (unsigned byte = 0; byte < 0x7b; byte++)
            for (int beside = -1; beside <= 1; beside++) {
                const float x = (float)value_of(byte),
                            middle = (float)(value_of(byte) + value_of(byte + 1)) / 2;
                const float a = beside ? nextafterf(x, (float)beside * INFINITY) : x;
                const float b = -(beside ? nextafterf(middle, (float)beside * INFINITY) : middle);
                fake_set(&fake, FAKE_A, 0, of_f32(a));
                fake_set(&fake, FAKE_B, 0, of_f32(b));
                fake_run(&fake, 1);
                assert_int_equal(fake_get(&fake, FAKE_D, 0), byte_of(b) | byte_of(a) << 8);
            }
    }
}

static void from_bytes(void **state) {
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        five = k & 1, relu = k & 2;
        char name[48];
        snprintf(name, sizeof name, "cvt.rn%s.f16x2.%sx2", relu ? ".relu" : "", five ? "e5m2" : "e4m3");
        struct fake fake;
        fake_begin(&fake, name);
        for (unsigned byte = 0; byte < 0x100; byte++) {
            fake_set(&fake, FAKE_A, 0, byte | (255 - byte) << 8);
            fake_run(&fake, 1);
            for (unsigned half = 0; half < 2; half++) {
                const unsigned got = fake_get(&fake, FAKE_D, 0) >> 16 * half & 0xffff;
                const double want = value_of(half ? 255 - byte : byte);
                if (want != want)
                    assert_int_equal(got, 0x7fff);
                else if (relu && signbit(want))
                    assert_int_equal(got, 0);
                else
                    assert_true(half_value(got) == want && !signbit(want) == !(got & 0x8000));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(to_bytes), cmocka_unit_test(every_boundary),
                                       cmocka_unit_test(from_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
