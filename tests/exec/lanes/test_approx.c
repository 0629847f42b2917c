/* The approximate functions: PTX's special values, and their error against libm's long double. */
#include "tests/exec/lanes/reference.h"

#include <math.h>

struct special {
    const char *mnemonic;
    uint32_t a, b, d;
};

#define NAN_F32 0x7fffffff
#define INF     0x7f800000
#define NEG     0x80000000

static const struct special specials[] = {
    {"rcp.approx.f32", INF, 0, 0},
    {"rcp.approx.f32", NEG | INF, 0, NEG},
    {"rcp.approx.f32", 0, 0, INF},
    {"rcp.approx.f32", NEG, 0, NEG | INF},
    {"rcp.approx.f32", 0x7fc00123, 0, NAN_F32},
    {"rcp.approx.ftz.f32", 0x80000001, 0, NEG | INF},
    {"rcp.approx.f32", 0x7f7fffff, 0, 0x00200000},
    {"rcp.approx.ftz.f32", 0x7f7fffff, 0, 0},
    {"sqrt.approx.f32", NEG, 0, NEG},
    {"sqrt.approx.f32", 0xbf800000, 0, NAN_F32},
    {"sqrt.approx.f32", INF, 0, INF},
    {"sqrt.approx.ftz.f32", 0x80000001, 0, NEG},
    {"sqrt.approx.f32", 0x40800000, 0, 0x40000000},
    {"rsqrt.approx.f32", NEG, 0, NEG | INF},
    {"rsqrt.approx.f32", 0, 0, INF},
    {"rsqrt.approx.f32", INF, 0, 0},
    {"rsqrt.approx.f32", 0xbf800000, 0, NAN_F32},
    {"rsqrt.approx.f32", NEG | INF, 0, NAN_F32},
    {"sin.approx.f32", INF, 0, NAN_F32},
    {"sin.approx.f32", NEG, 0, NEG},
    {"sin.approx.ftz.f32", 0x80000001, 0, NEG},
    {"cos.approx.f32", NEG | INF, 0, NAN_F32},
    {"cos.approx.f32", 0, 0, 0x3f800000},
    {"lg2.approx.f32", NEG, 0, NEG | INF},
    {"lg2.approx.f32", 0, 0, NEG | INF},
    {"lg2.approx.f32", INF, 0, INF},
    {"lg2.approx.f32", 0xbf800000, 0, NAN_F32},
    {"lg2.approx.ftz.f32", 0x00000001, 0, NEG | INF},
    {"lg2.approx.f32", 0x00000001, 0, 0xc3150000},
    {"ex2.approx.f32", NEG | INF, 0, 0},
    {"ex2.approx.f32", INF, 0, INF},
    {"ex2.approx.f32", NEG, 0, 0x3f800000},
    {"ex2.approx.f32", 0xc3150000, 0, 1},
    {"ex2.approx.ftz.f32", 0xc3150000, 0, 0},
    {"ex2.approx.f32", 0x43000000, 0, INF},
    {"tanh.approx.f32", INF, 0, 0x3f800000},
    {"tanh.approx.f32", NEG | INF, 0, 0xbf800000},
    {"tanh.approx.f32", NEG, 0, NEG},
    {"div.approx.f32", 0x3f800000, 0x7f000000, 0},
    {"div.approx.f32", INF, 0x7f000000, NAN_F32},
    {"div.approx.f32", 0x3f800000, 0xff000000, NEG},
    {"div.approx.f32", 0x3f800000, 0x7e800000, 0x00800000},
    {"div.full.f32", 0x7f000000, 0x7f000000, 0x3f800000},
    {"div.full.f32", 0, 0, NAN_F32},
    {"div.approx.f32", 0x3f800000, 0, INF},
    {"div.full.ftz.f32", 0x3f800000, 0x80000001, NEG | INF},
};

static void special_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        struct fake fake;
        fake_begin(&fake, specials[i].mnemonic);
        fake_set(&fake, FAKE_A, 3, specials[i].a);
        if (fake.op.b)
            fake_set(&fake, FAKE_B, 3, specials[i].b);
        fake_run(&fake, 8);
        if (fake_get(&fake, FAKE_D, 3) != specials[i].d)
            fail_msg("%s of %x, %x: %llx, not %x", specials[i].mnemonic, specials[i].a, specials[i].b,
                     (unsigned long long)fake_get(&fake, FAKE_D, 3), specials[i].d);
    }
}

static long double reciprocal(long double x) {
    return 1 / x;
}
static long double reciprocal_root(long double x) {
    return 1 / sqrtl(x);
}

static void errors(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        long double (*function)(long double);
        float from, to;
        bool fixed; /* error limited as an absolute difference */
    } rows[] = {{"rcp.approx.f32", reciprocal, -1e30f, 1e30f, false},
                {"sqrt.approx.f32", sqrtl, 0, 1e30f, false},
                {"rsqrt.approx.f32", reciprocal_root, 1e-30f, 1e30f, false},
                {"sin.approx.f32", sinl, -3.14f, 3.14f, true},
                {"cos.approx.f32", cosl, -3.14f, 3.14f, true},
                {"lg2.approx.f32", log2l, 1e-30f, 1e30f, false},
                {"ex2.approx.f32", exp2l, -120, 120, false},
                {"tanh.approx.f32", tanhl, -10, 10, false}};
    uint64_t random = 23;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct fake fake;
        fake_begin(&fake, rows[k].mnemonic);
        for (unsigned n = 0; n < 20; n++) {
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                const double unit = (double)(next_random(&random) >> 11) * 0x1p-53;
                fake_set(&fake, FAKE_A, lane,
                         of_f32((float)(rows[k].from + unit * ((double)rows[k].to - rows[k].from))));
            }
            fake_run(&fake, SIM_ALL_LANES);
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                const long double want = rows[k].function(as_f32(fake_get(&fake, FAKE_A, lane)));
                const long double got = as_f32(fake_get(&fake, FAKE_D, lane));
                const long double error = rows[k].fixed ? 0x1p-21L : fabsl(want) * 0x1.0002p-24L + 0x1p-149L;
                if (!(fabsl(got - want) <= error))
                    fail_msg("%s of %a: %La, not %La", rows[k].mnemonic,
                             (double)as_f32(fake_get(&fake, FAKE_A, lane)), got, want);
            }
        }
    }
}

static void upper_halves_of_f64(void **state) {
    (void)state;
    struct fake fake;
    static const struct {
        const char *mnemonic;
        uint64_t a, d;
    } rows[] = {{"rcp.approx.ftz.f64", 0x4008000000000000, 0x3fd5555500000000},
                {"rcp.approx.ftz.f64", 0x3ff00000ffffffff, 0x3ff0000000000000},
                {"rcp.approx.ftz.f64", 0x8000000000000001, 0xfff0000000000000},
                {"rcp.approx.ftz.f64", 0x7fe0000000000000, 0},
                {"rsqrt.approx.ftz.f64", 0x4010000000000000, 0x3fe0000000000000},
                {"rsqrt.approx.ftz.f64", 0, 0x7ff0000000000000},
                {"rsqrt.approx.f64", 0x4010000000000000, 0x3fe0000000000000},
                {"rsqrt.approx.f64", 0x8000000000000000, 0xfff0000000000000},
                {"rsqrt.approx.f64", 0x4000000000000000, 0x3fe6a09e667f3bcd}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_begin(&fake, rows[i].mnemonic);
        fake_set(&fake, FAKE_A, 0, rows[i].a);
        fake_run(&fake, 1);
        assert_int_equal(fake_get(&fake, FAKE_D, 0), rows[i].d);
    }
}

static void halves(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        uint32_t a, d;
    } rows[] = {{"ex2.approx.f16", 0x4000, 0x4400},      {"ex2.approx.f16", 0xcc00, 0x0100},
                {"ex2.approx.f16", 0x7e00, 0x7fff},      {"ex2.approx.f16x2", 0x4000bc00, 0x44003800},
                {"tanh.approx.f16", 0xfc00, 0xbc00},     {"tanh.approx.f16x2", 0x7c008000, 0x3c008000},
                {"ex2.approx.ftz.bf16", 0xbf80, 0x3f00}, {"ex2.approx.ftz.bf16x2", 0x3f80bf80, 0x40003f00},
                {"tanh.approx.bf16", 0x7f80, 0x3f80},    {"tanh.approx.bf16x2", 0xff800000, 0xbf800000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake fake;
        fake_begin(&fake, rows[i].mnemonic);
        fake_set(&fake, FAKE_A, 31, rows[i].a);
        fake_run(&fake, 0x80000000);
        assert_int_equal(fake_get(&fake, FAKE_D, 31), rows[i].d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(special_values), cmocka_unit_test(errors),
                                       cmocka_unit_test(upper_halves_of_f64), cmocka_unit_test(halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
