/* cvt between all types, in every rounding, against exact arithmetic; halves exhaustively. */
#include "tests/exec/lanes/exact.h"
#include "tests/exec/lanes/reference.h"

#include <stdio.h>

static const enum ptx_type ints[] = {PTX_TYPE_U8, PTX_TYPE_U16, PTX_TYPE_U32, PTX_TYPE_U64,
                                     PTX_TYPE_S8, PTX_TYPE_S16, PTX_TYPE_S32, PTX_TYPE_S64};
static const enum ptx_type floats[] = {PTX_TYPE_F16, PTX_TYPE_BF16, PTX_TYPE_F32, PTX_TYPE_F64};

static unsigned bits_of(enum ptx_type type) {
    return 8 * ptx_type_bytes(type);
}

static bool is_signed(enum ptx_type type) {
    return ptx_type_name(type)[0] == 's';
}

static struct exact_format format_of(enum ptx_type type) {
    return type == PTX_TYPE_F16    ? EXACT_F16
           : type == PTX_TYPE_BF16 ? EXACT_BF16
           : type == PTX_TYPE_F32  ? EXACT_F32
                                   : EXACT_F64;
}

/* The value in a register: an 8-bit signed value is extended to 16 bits. */
static uint64_t in_register(wide value, enum ptx_type type) {
    return (uint64_t)(type == PTX_TYPE_S8 ? u(s(value, 8), 16) : u(value, bits_of(type)));
}

static uint64_t source_value(enum ptx_type type, unsigned n, uint64_t *random) {
    if (n < edge_count(type))
        return edge_value(type, n);
    const uint64_t x = next_random(random) >> (next_random(random) % 64);
    return bits_of(type) < 64 ? x & ((UINT64_C(1) << bits_of(type)) - 1) : x;
}

/* Fails unless every lane's result is what expect returns for its source. */
typedef uint64_t expect_fn(uint64_t a, enum ptx_type to, enum ptx_type from, char mode, bool ftz, bool sat);

static void check(const char *name, expect_fn *expect, char mode, bool ftz, bool sat) {
    struct fake fake;
    fake_begin(&fake, name);
    uint64_t random = 19;
    for (unsigned n = 0; n < 128; n += SIM_LANES) {
        uint64_t v[SIM_LANES];
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            fake_set(&fake, FAKE_A, lane, v[lane] = source_value(fake.op.a, n + lane, &random));
        fake_run(&fake, SIM_ALL_LANES);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            const uint64_t got = fake_get(&fake, FAKE_D, lane);
            const uint64_t want = expect(v[lane], fake.op.d, fake.op.a, mode, ftz, sat);
            if (got != want)
                fail_msg("%s of %llx: %llx, not %llx", name, (unsigned long long)v[lane],
                         (unsigned long long)got, (unsigned long long)want);
        }
    }
}

static uint64_t int_to_int(uint64_t a, enum ptx_type to, enum ptx_type from, char mode, bool ftz, bool sat) {
    (void)mode, (void)ftz;
    wide x = is_signed(from) ? s(a, bits_of(from)) : u(a, bits_of(from));
    if (sat)
        x = is_signed(to) ? clamp(x, -((wide)1 << (bits_of(to) - 1)), ((wide)1 << (bits_of(to) - 1)) - 1)
                          : clamp(x, 0, ((wide)1 << bits_of(to)) - 1);
    return in_register(x, to);
}

static void integers_to_integers(void **state) {
    (void)state;
    /* The lists give slot types, so the test names the types itself. */
    for (unsigned d = 0; d < 8; d++)
        for (unsigned a = 0; a < 8; a++)
            for (unsigned sat = 0; sat < 2; sat++) {
                char name[32];
                snprintf(name, sizeof name, "cvt%s.%s.%s", sat ? ".sat" : "", ptx_type_name(ints[d]),
                         ptx_type_name(ints[a]));
                struct fake fake;
                fake_begin(&fake, name);
                for (unsigned n = 0; n < edge_count(ints[a]); n++) {
                    const uint64_t value = edge_value(ints[a], n);
                    fake_set(&fake, FAKE_A, 0, value);
                    fake_run(&fake, 1);
                    const uint64_t want = int_to_int(value, ints[d], ints[a], 0, false, sat);
                    if (fake_get(&fake, FAKE_D, 0) != want)
                        fail_msg("%s of %llx: %llx, not %llx", name, (unsigned long long)value,
                                 (unsigned long long)fake_get(&fake, FAKE_D, 0), (unsigned long long)want);
                }
            }
}

static uint64_t saturate(uint64_t r, struct exact_format f) {
    return exact_is_nan(r, f) || (r & exact_sign(f)) ? 0 : r > exact_one(f) ? exact_one(f) : r;
}

static uint64_t flush(uint64_t x, enum ptx_type type, bool ftz) {
    return ftz && type == PTX_TYPE_F32 && exact_is_subnormal(x, EXACT_F32) ? x & 0x80000000 : x;
}

static uint64_t int_to_float(uint64_t a, enum ptx_type to, enum ptx_type from, char mode, bool ftz,
                             bool sat) {
    (void)ftz; /* no integer is subnormal */
    const wide x = is_signed(from) ? s(a, bits_of(from)) : u(a, bits_of(from));
    const uint64_t r = exact_from_integer(x < 0, (uint64_t)(x < 0 ? -x : x), format_of(to), mode);
    return sat ? saturate(r, format_of(to)) : r;
}

static uint64_t float_to_int(uint64_t a, enum ptx_type to, enum ptx_type from, char mode, bool ftz,
                             bool sat) {
    (void)sat; /* it always saturates */
    const unsigned bits = bits_of(to);
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t nan = from == PTX_TYPE_F64 || bits == 64 ? top : 0;
    const uint64_t r =
        is_signed(to)
            ? exact_to_integer(flush(a, from, ftz), format_of(from), mode, (int64_t)(0 - top), top - 1, nan)
            : exact_to_integer(flush(a, from, ftz), format_of(from), mode, 0, top - 1 + top, nan);
    return in_register(r, to);
}

static uint64_t float_to_float(uint64_t a, enum ptx_type to, enum ptx_type from, char mode, bool ftz,
                               bool sat) {
    const struct exact_format source = format_of(from), result = format_of(to);
    if (to != PTX_TYPE_F16) /* f16's least number is far above, but may be the rounded result */
        a = flush(a, from, ftz);
    uint64_t r = to != from  ? exact_convert(a, format_of(from), format_of(to), mode ? mode : 'n')
                 : mode != 0 ? exact_whole(a, format_of(from), mode)
                             : a;
    if (exact_is_nan(r, result))
        r = exact_nan(result);
    if (exact_is_nan(a, source) && (from == PTX_TYPE_F64 || to == PTX_TYPE_F64)) {
        /* f64 keeps the NaN bits that fit, and makes it quiet. */
        const uint64_t nan = ftz && from == PTX_TYPE_F32 ? 0x7fffffff : a;
        const int more = result.mantissa_bits - source.mantissa_bits;
        const uint64_t fraction = nan & ((UINT64_C(1) << source.mantissa_bits) - 1);
        r = (nan & exact_sign(source) ? exact_sign(result) : 0) |
            (exact_nan(result) & ~((UINT64_C(1) << (result.mantissa_bits - 1)) - 1)) |
            (more < 0 ? fraction >> -more : fraction << more);
    }
    if (from == to && !mode && !sat && !ftz && bits_of(to) >= 32)
        r = a; /* a move */
    if (from == PTX_TYPE_BF16 && to == PTX_TYPE_F32 && !sat && !ftz && !mode)
        r = a << 16; /* also NaNs */
    r = flush(r, to, ftz);
    return sat ? saturate(r, format_of(to)) : r;
}

static void integers_to_floats(void **state) {
    (void)state;
    for (unsigned d = 0; d < 4; d++)
        for (unsigned a = 0; a < 8; a++)
            for (unsigned m = 0; m < 4; m++)
                for (unsigned k = 0; k < 4; k++) {
                    if (k & 1 && floats[d] != PTX_TYPE_F32)
                        continue;
                    char name[64];
                    snprintf(name, sizeof name, "cvt.r%c%s%s.%s.%s", "nzmp"[m], k & 1 ? ".ftz" : "",
                             k & 2 ? ".sat" : "", ptx_type_name(floats[d]), ptx_type_name(ints[a]));
                    check(name, int_to_float, "nzmp"[m], k & 1, k & 2);
                }
}

static void floats_to_integers(void **state) {
    (void)state;
    for (unsigned d = 0; d < 8; d++)
        for (unsigned a = 0; a < 4; a++)
            for (unsigned m = 0; m < 4; m++)
                for (unsigned k = 0; k < 4; k++) {
                    if (k & 1 && floats[a] != PTX_TYPE_F32)
                        continue;
                    char name[64];
                    snprintf(name, sizeof name, "cvt.r%ci%s%s.%s.%s", "nzmp"[m], k & 1 ? ".ftz" : "",
                             k & 2 ? ".sat" : "", ptx_type_name(ints[d]), ptx_type_name(floats[a]));
                    check(name, float_to_int, "nzmp"[m], k & 1, k & 2);
                }
}

static void floats_to_floats(void **state) {
    (void)state;
    static const int precision[] = {11, 8, 24, 53};
    for (unsigned d = 0; d < 4; d++)
        for (unsigned a = 0; a < 4; a++)
            for (unsigned m = 0; m < 5; m++)
                for (unsigned k = 0; k < 4; k++) {
                    const bool same = d == a,
                               narrows = precision[d] < precision[a] ||
                                         (floats[d] == PTX_TYPE_F16 && floats[a] == PTX_TYPE_BF16);
                    if (k & 1 && floats[a] != PTX_TYPE_F32 && floats[d] != PTX_TYPE_F32)
                        continue;
                    if (!same && narrows != (m < 4))
                        continue;
                    char name[64], rounding[5] = ".rn";
                    rounding[2] = "nzmp"[m & 3];
                    rounding[3] = same ? 'i' : '\0';
                    snprintf(name, sizeof name, "cvt%s%s%s.%s.%s", m < 4 ? rounding : "", k & 1 ? ".ftz" : "",
                             k & 2 ? ".sat" : "", ptx_type_name(floats[d]), ptx_type_name(floats[a]));
                    check(name, float_to_float, m < 4 ? "nzmp"[m] : 0, k & 1, k & 2);
                }
}

/* All 65536 halves to f32 and back, and each midpoint between two with its neighbours. */
static void every_half(void **state) {
    (void)state;
    static const struct {
        const char *up, *down;
        struct exact_format format;
    } rows[] = {{"cvt.f32.f16", "cvt.rn.f16.f32", {5, 10}}, {"cvt.f32.bf16", "cvt.rn.bf16.f32", {8, 7}}};
    for (unsigned t = 0; t < 2; t++) {
        struct fake up, down;
        fake_begin(&up, rows[t].up);
        fake_begin(&down, rows[t].down);
        for (unsigned h = 0; h < 65536; h += SIM_LANES) {
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                fake_set(&up, FAKE_A, lane, h + lane);
            fake_run(&up, SIM_ALL_LANES);
            for (int step = -1; step <= 3; step++) {
                uint64_t x[SIM_LANES];
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    const uint64_t value = fake_get(&up, FAKE_D, lane);
                    const bool nan = exact_is_nan(h + lane, rows[t].format);
                    if (step == -1 && !(nan && t == 1))
                        assert_int_equal(value, exact_convert(h + lane, rows[t].format, EXACT_F32, 'n'));
                    /* Half a step up, slightly less, slightly more. */
                    const uint64_t next = exact_convert((h + lane) ^ 1, rows[t].format, EXACT_F32, 'n');
                    const uint64_t middle =
                        (value & 0x80000000) | ((value & 0x7fffffff) + (next & 0x7fffffff)) / 2;
                    x[lane] = step <= 0 ? value : middle + (uint64_t)step - 2;
                    fake_set(&down, FAKE_A, lane, x[lane]);
                }
                fake_run(&down, SIM_ALL_LANES);
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    assert_int_equal(fake_get(&down, FAKE_D, lane),
                                     exact_convert(x[lane], EXACT_F32, rows[t].format, 'n'));
                    if (step == 0 && !exact_is_nan(h + lane, rows[t].format))
                        assert_int_equal(fake_get(&down, FAKE_D, lane), h + lane);
                }
            }
        }
    }
}

static uint64_t half_of(uint64_t a, bool bf16, char mode, bool relu) {
    const uint64_t r = exact_convert(a, EXACT_F32, bf16 ? EXACT_BF16 : EXACT_F16, mode);
    return relu && r & 0x8000 ? 0 : r;
}

static bool pair_bf16, pair_relu;
static char pair_mode;
static uint64_t pair(const uint64_t *v) {
    return half_of(v[1], pair_bf16, pair_mode, pair_relu) | half_of(v[0], pair_bf16, pair_mode, pair_relu)
                                                                << 16;
}
static uint64_t single(const uint64_t *v) {
    return half_of(v[0], pair_bf16, pair_mode, pair_relu);
}
static uint64_t tf32(const uint64_t *v) {
    const uint64_t r = exact_convert(v[0], EXACT_F32, EXACT_TF32, pair_mode);
    if (exact_is_nan(r, EXACT_TF32))
        return pair_mode == 'a' ? v[0] & 0xffffe000 : 0x7fffe000;
    return pair_relu && r >> 18 ? 0 : r << 13;
}

static void packed_and_relu(void **state) {
    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        char name[48];
        pair_bf16 = k & 1, pair_mode = k & 2 ? 'z' : 'n', pair_relu = k & 4;
        const char *relu = pair_relu ? ".relu" : "", *type = pair_bf16 ? "bf16" : "f16";
        snprintf(name, sizeof name, "cvt.r%c%s.%sx2.f32", pair_mode, relu, type);
        check_op(name, pair);
        snprintf(name, sizeof name, "cvt.r%c%s.%s.f32", pair_mode, relu, type);
        check_op(name, single);
        snprintf(name, sizeof name, "cvt.r%c%s.tf32.f32", pair_mode, relu);
        check_op(name, tf32);
    }
    pair_mode = 'a', pair_relu = false;
    check_op("cvt.rna.tf32.f32", tf32);
}

REFERENCE(pack_u16, 32, clamp(SB, 0, 65535) | clamp(SA, 0, 65535) << 16)
REFERENCE(pack_s16, 32, u(clamp(SB, -32768, 32767), 16) | u(clamp(SA, -32768, 32767), 16) << 16)
REFERENCE(pack_u8, 32, clamp(SB, 0, 255) | clamp(SA, 0, 255) << 8 | C << 16)
REFERENCE(pack_s8, 32, u(clamp(SB, -128, 127), 8) | u(clamp(SA, -128, 127), 8) << 8 | C << 16)

static void packed_integers(void **state) {
    (void)state;
    check_op("cvt.pack.sat.u16.s32", pack_u16);
    check_op("cvt.pack.sat.s16.s32", pack_s16);
    check_op("cvt.pack.sat.u8.s32.b32", pack_u8);
    check_op("cvt.pack.sat.s8.s32.b32", pack_s8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_to_integers), cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_integers),   cmocka_unit_test(floats_to_floats),
        cmocka_unit_test(every_half),           cmocka_unit_test(packed_and_relu),
        cmocka_unit_test(packed_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
