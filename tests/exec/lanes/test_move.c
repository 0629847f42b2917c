/* Moves, packing and selection. */
#include "tests/exec/lanes/reference.h"

static uint64_t first(const uint64_t *v) {
    return v[0];
}
static uint64_t chosen(const uint64_t *v) {
    return v[2] ? v[0] : v[1];
}
static uint64_t by_s32(const uint64_t *v) {
    return (int32_t)v[2] >= 0 ? v[0] : v[1];
}
static uint64_t by_f32(const uint64_t *v) {
    return as_f32(v[2]) >= 0 ? v[0] : v[1];
}
static uint64_t by_f32_ftz(const uint64_t *v) {
    const bool subnormal = (v[2] & 0x7f800000) == 0;
    return subnormal || as_f32(v[2]) >= 0 ? v[0] : v[1];
}
static uint64_t pack_2x8(const uint64_t *v) {
    return v[0] | v[1] << 8;
}
static uint64_t pack_4x8(const uint64_t *v) {
    return v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24;
}
static uint64_t pack_2x16(const uint64_t *v) {
    return v[0] | v[1] << 16;
}
static uint64_t pack_4x16(const uint64_t *v) {
    return v[0] | v[1] << 16 | v[2] << 32 | v[3] << 48;
}
static uint64_t pack_2x32(const uint64_t *v) {
    return v[0] | v[1] << 32;
}

static const struct checked_op ops[] = {
    {"mov.b16", first},
    {"mov.s16", first},
    {"mov.u16", first},
    {"mov.f16", first},
    {"mov.b32", first},
    {"mov.u32", first},
    {"mov.s32", first},
    {"mov.f32", first},
    {"mov.b64", first},
    {"mov.u64", first},
    {"mov.s64", first},
    {"mov.f64", first},
    {"mov.pred", first},
    {"mov.bf16x2", first},
    {"selp.b16", chosen},
    {"selp.u16", chosen},
    {"selp.b32", chosen},
    {"selp.s32", chosen},
    {"selp.b64", chosen},
    {"selp.u64", chosen},
    {"selp.f32", chosen},
    {"selp.f64", chosen},
    {"slct.u16.s32", by_s32},
    {"slct.b32.s32", by_s32},
    {"slct.s64.s32", by_s32},
    {"slct.f32.s32", by_s32},
    {"slct.f64.s32", by_s32},
    {"slct.u16.f32", by_f32},
    {"slct.b32.f32", by_f32},
    {"slct.s64.f32", by_f32},
    {"slct.f32.f32", by_f32},
    {"slct.f64.f32", by_f32},
    {"slct.ftz.u16.f32", by_f32_ftz},
    {"slct.ftz.b32.f32", by_f32_ftz},
    {"slct.ftz.s64.f32", by_f32_ftz},
    {"slct.ftz.f32.f32", by_f32_ftz},
    {"slct.ftz.f64.f32", by_f32_ftz},
    {"mov.pack.2x8", pack_2x8},
    {"mov.pack.4x8", pack_4x8},
    {"mov.pack.2x16", pack_2x16},
    {"mov.pack.4x16", pack_4x16},
    {"mov.pack.2x32", pack_2x32},
};

static void moves_and_selections(void **state) {
    (void)state;
    CHECK_ALL(ops);
}

static void unpacking(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        unsigned bits, first;
    } rows[] = {{"mov.unpack.2x8", 8, 0},   {"mov.unpack.lo.4x8", 8, 0},   {"mov.unpack.hi.4x8", 8, 2},
                {"mov.unpack.2x16", 16, 0}, {"mov.unpack.lo.4x16", 16, 0}, {"mov.unpack.hi.4x16", 16, 2},
                {"mov.unpack.2x32", 32, 0}};
    const uint64_t value = 0xfedcba9876543210;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned n = 0; n < 2; n++) {
            const uint32_t mask = n ? 0x80000003 : SIM_ALL_LANES;
            struct fake fake;
            fake_begin(&fake, rows[i].mnemonic);
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                fake_set(&fake, FAKE_A, lane, value + lane);
            const uint64_t before = fake_get(&fake, FAKE_D, 0);
            fake_run(&fake, mask);
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                for (unsigned k = 0; k < 2; k++) {
                    const unsigned shift = rows[i].bits * (rows[i].first + k);
                    const uint64_t want = (uint64_t)u((value + lane) >> shift, rows[i].bits);
                    assert_int_equal(fake_get(&fake, FAKE_D + k, lane), mask >> lane & 1 ? want : before);
                }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_and_selections), cmocka_unit_test(unpacking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
