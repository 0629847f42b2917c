/* Logic, shifts, fields and permutations, bit by bit as in PTX's pseudo-code. */
#include "tests/exec/lanes/reference.h"

#define LOGIC(bits)                                                                                          \
    REFERENCE(and_##bits, bits, A &B)                                                                        \
    REFERENCE(or_##bits, bits, A | B)                                                                        \
    REFERENCE(xor_##bits, bits, A ^ B)                                                                       \
    REFERENCE(not_##bits, bits, ~A)                                                                          \
    REFERENCE(cnot_##bits, bits, !A)
LOGIC(16)
LOGIC(32)
LOGIC(64)

/* Shifts one place at a time. */
static uint64_t shift(wide x, uint64_t by, bool left, unsigned bits) {
    for (uint64_t n = 0; n < by && n < 200; n++)
        x = left ? u(x * 2, bits) : x >> 1;
    return (uint64_t)u(x, bits);
}

#define SHIFTS(bits)                                                                                         \
    static uint64_t shl_##bits(const uint64_t *v) {                                                          \
        return shift(v[0], v[1], true, bits);                                                                \
    }                                                                                                        \
    static uint64_t shr_u##bits(const uint64_t *v) {                                                         \
        return shift(v[0], v[1], false, bits);                                                               \
    }                                                                                                        \
    static uint64_t shr_s##bits(const uint64_t *v) {                                                         \
        return shift(s(v[0], bits), v[1], false, bits);                                                      \
    }
SHIFTS(16)
SHIFTS(32)
SHIFTS(64)

static uint64_t funnel(const uint64_t *v, bool left, bool wrap) {
    const unsigned n = wrap ? v[2] & 31 : v[2] < 32 ? (unsigned)v[2] : 32;
    const uint64_t low = v[0], high = v[1];
    if (left)
        return n == 0 ? high : n == 32 ? low : (uint32_t)(high << n | low >> (32 - n));
    return n == 0 ? low : n == 32 ? high : (uint32_t)(high << (32 - n) | low >> n);
}
static uint64_t shf_l_wrap(const uint64_t *v) {
    return funnel(v, true, true);
}
static uint64_t shf_l_clamp(const uint64_t *v) {
    return funnel(v, true, false);
}
static uint64_t shf_r_wrap(const uint64_t *v) {
    return funnel(v, false, true);
}
static uint64_t shf_r_clamp(const uint64_t *v) {
    return funnel(v, false, false);
}

static unsigned ones_of(uint64_t x) {
    unsigned n = 0;
    for (unsigned i = 0; i < 64; i++)
        n += x >> i & 1;
    return n;
}
static uint64_t popc(const uint64_t *v) {
    return ones_of(v[0]);
}
static uint64_t zeros_above(uint64_t x, unsigned bits) {
    unsigned n = 0;
    while (n < bits && !(x >> (bits - 1 - n) & 1))
        n++;
    return n;
}
static uint64_t clz_32(const uint64_t *v) {
    return zeros_above(v[0], 32);
}
static uint64_t clz_64(const uint64_t *v) {
    return zeros_above(v[0], 64);
}
static uint64_t reversed(uint64_t x, unsigned bits) {
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}
static uint64_t brev_32(const uint64_t *v) {
    return reversed(v[0], 32);
}
static uint64_t brev_64(const uint64_t *v) {
    return reversed(v[0], 64);
}

static uint64_t bfind(uint64_t a, unsigned bits, bool is_signed, bool shiftamt) {
    if (is_signed && (a >> (bits - 1) & 1))
        a = (uint64_t)u(~(wide)a, bits);
    for (int i = (int)bits - 1; i >= 0; i--)
        if (a >> i & 1)
            return shiftamt ? bits - 1 - (unsigned)i : (unsigned)i;
    return 0xffffffff;
}
#define BFIND(name, bits, is_signed, shiftamt)                                                               \
    static uint64_t name(const uint64_t *v) {                                                                \
        return bfind(v[0], bits, is_signed, shiftamt);                                                       \
    }
BFIND(bfind_u32, 32, false, false)
BFIND(bfind_s32, 32, true, false)
BFIND(bfind_u64, 64, false, false)
BFIND(bfind_s64, 64, true, false)
BFIND(shiftamt_u32, 32, false, true)
BFIND(shiftamt_s32, 32, true, true)
BFIND(shiftamt_u64, 64, false, true)
BFIND(shiftamt_s64, 64, true, true)

static uint64_t bfe(const uint64_t *v, unsigned bits, bool is_signed) {
    const uint64_t count = bits == 32 ? 0xff : 0xffffffff; /* the used bits of a position and a length */
    const uint64_t pos = v[1] & count, len = v[2] & count, msb = bits - 1;
    const uint64_t last = pos + len < bits ? pos + len - 1 : msb;
    const uint64_t sign = !is_signed || len == 0 ? 0 : v[0] >> last & 1;
    uint64_t d = 0;
    for (uint64_t i = 0; i <= msb; i++)
        d |= (i < len && pos + i <= msb ? v[0] >> (pos + i) & 1 : sign) << i;
    return d;
}
static uint64_t bfe_u32(const uint64_t *v) {
    return bfe(v, 32, false);
}
static uint64_t bfe_s32(const uint64_t *v) {
    return bfe(v, 32, true);
}
static uint64_t bfe_u64(const uint64_t *v) {
    return bfe(v, 64, false);
}
static uint64_t bfe_s64(const uint64_t *v) {
    return bfe(v, 64, true);
}

static uint64_t bfi(const uint64_t *v, unsigned bits) {
    const uint64_t count = bits == 32 ? 0xff : 0xffffffff;
    const uint64_t pos = v[2] & count, len = v[3] & count;
    uint64_t d = v[1];
    for (uint64_t i = 0; i < len && pos + i < bits; i++)
        d = (d & ~(UINT64_C(1) << (pos + i))) | (v[0] >> i & 1) << (pos + i);
    return d;
}
static uint64_t bfi_32(const uint64_t *v) {
    return bfi(v, 32);
}
static uint64_t bfi_64(const uint64_t *v) {
    return bfi(v, 64);
}

static uint64_t fns(const uint64_t *v) {
    const int32_t offset = (int32_t)v[2];
    if (offset == INT32_MIN)
        return 0;
    if (v[1] > 31)
        return 0xffffffff;
    if (offset == 0)
        return v[0] >> v[1] & 1 ? v[1] : 0xffffffff;
    int64_t pos = (int64_t)v[1], count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    for (; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
        if (v[0] >> pos & 1) {
            if (count == 0)
                return (uint64_t)pos;
            count--;
        }
    return 0xffffffff;
}

static uint64_t bmsk(uint64_t a, uint64_t b) {
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (uint64_t)(i >= a && i - a < b) << i;
    return d;
}
static uint64_t bmsk_clamp(const uint64_t *v) {
    return bmsk(v[0], v[1]);
}
static uint64_t bmsk_wrap(const uint64_t *v) {
    return bmsk(v[0] & 31, v[1] & 31);
}

static uint64_t szext(uint64_t a, uint64_t b, bool is_signed) {
    if (b >= 32)
        return a;
    const uint64_t sign = is_signed && b ? a >> (b - 1) & 1 : 0;
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (i < b ? a >> i & 1 : sign) << i;
    return d;
}
static uint64_t szext_clamp_u(const uint64_t *v) {
    return szext(v[0], v[1], false);
}
static uint64_t szext_clamp_s(const uint64_t *v) {
    return szext(v[0], v[1], true);
}
static uint64_t szext_wrap_u(const uint64_t *v) {
    return szext(v[0], v[1] & 31, false);
}
static uint64_t szext_wrap_s(const uint64_t *v) {
    return szext(v[0], v[1] & 31, true);
}

static uint64_t lop3(const uint64_t *v) {
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (v[3] >> ((v[0] >> i & 1) * 4 + (v[1] >> i & 1) * 2 + (v[2] >> i & 1)) & 1) << i;
    return d;
}

static uint64_t byte_at(const uint64_t *v, unsigned n) {
    return (n & 4 ? v[1] : v[0]) >> 8 * (n & 3) & 0xff;
}
static uint64_t prmt(const uint64_t *v) {
    uint64_t d = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned nibble = v[2] >> 4 * k & 15;
        const uint64_t byte = byte_at(v, nibble & 7);
        d |= (nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * k;
    }
    return d;
}
/* The tables in the PTX manual: the source bytes of d.b3, b2, b1, b0 for each selector. */
static uint64_t prmt_table(const uint64_t *v, const char *const table[4]) {
    const char *bytes = table[v[2] & 3];
    uint64_t d = 0;
    for (unsigned k = 0; k < 4; k++)
        d |= byte_at(v, (unsigned)(bytes[3 - k] - '0')) << 8 * k;
    return d;
}
#define PRMT(name, ...)                                                                                      \
    static uint64_t name(const uint64_t *v) {                                                                \
        static const char *const table[4] = {__VA_ARGS__};                                                   \
        return prmt_table(v, table);                                                                         \
    }
PRMT(prmt_f4e, "3210", "4321", "5432", "6543")
PRMT(prmt_b4e, "5670", "6701", "7012", "0123")
PRMT(prmt_rc8, "0000", "1111", "2222", "3333")
PRMT(prmt_ecl, "3210", "3211", "3222", "3333")
PRMT(prmt_ecr, "0000", "1110", "2210", "3210")
PRMT(prmt_rc16, "1010", "3232", "1010", "3232")

static const struct checked_op ops[] = {
    {"and.b16", and_16},
    {"and.b32", and_32},
    {"and.b64", and_64},
    {"or.b16", or_16},
    {"or.b32", or_32},
    {"or.b64", or_64},
    {"xor.b16", xor_16},
    {"xor.b32", xor_32},
    {"xor.b64", xor_64},
    {"not.b16", not_16},
    {"not.b32", not_32},
    {"not.b64", not_64},
    {"cnot.b16", cnot_16},
    {"cnot.b32", cnot_32},
    {"cnot.b64", cnot_64},
    {"shl.b16", shl_16},
    {"shl.b32", shl_32},
    {"shl.b64", shl_64},
    {"shr.u16", shr_u16},
    {"shr.u32", shr_u32},
    {"shr.u64", shr_u64},
    {"shr.b16", shr_u16},
    {"shr.b32", shr_u32},
    {"shr.b64", shr_u64},
    {"shr.s16", shr_s16},
    {"shr.s32", shr_s32},
    {"shr.s64", shr_s64},
    {"shf.l.wrap.b32", shf_l_wrap},
    {"shf.l.clamp.b32", shf_l_clamp},
    {"shf.r.wrap.b32", shf_r_wrap},
    {"shf.r.clamp.b32", shf_r_clamp},
    {"popc.b32", popc},
    {"popc.b64", popc},
    {"clz.b32", clz_32},
    {"clz.b64", clz_64},
    {"brev.b32", brev_32},
    {"brev.b64", brev_64},
    {"bfind.u32", bfind_u32},
    {"bfind.s32", bfind_s32},
    {"bfind.u64", bfind_u64},
    {"bfind.s64", bfind_s64},
    {"bfind.shiftamt.u32", shiftamt_u32},
    {"bfind.shiftamt.s32", shiftamt_s32},
    {"bfind.shiftamt.u64", shiftamt_u64},
    {"bfind.shiftamt.s64", shiftamt_s64},
    {"bfe.u32", bfe_u32},
    {"bfe.s32", bfe_s32},
    {"bfe.u64", bfe_u64},
    {"bfe.s64", bfe_s64},
    {"bfi.b32", bfi_32},
    {"bfi.b64", bfi_64},
    {"fns.b32", fns},
    {"bmsk.clamp.b32", bmsk_clamp},
    {"bmsk.wrap.b32", bmsk_wrap},
    {"szext.clamp.u32", szext_clamp_u},
    {"szext.clamp.s32", szext_clamp_s},
    {"szext.wrap.u32", szext_wrap_u},
    {"szext.wrap.s32", szext_wrap_s},
    {"prmt.b32", prmt},
    {"prmt.b32.f4e", prmt_f4e},
    {"prmt.b32.b4e", prmt_b4e},
    {"prmt.b32.rc8", prmt_rc8},
    {"prmt.b32.ecl", prmt_ecl},
    {"prmt.b32.ecr", prmt_ecr},
    {"prmt.b32.rc16", prmt_rc16},
};

static void bits_and_bytes(void **state) {
    (void)state;
    CHECK_ALL(ops);
}

/* Small positions and lengths, which are rare among the edge values. */
static void every_field(void **state) {
    (void)state;
    static const struct checked_op fields[] = {{"bfe.u32", bfe_u32}, {"bfe.s32", bfe_s32},
                                               {"bfe.u64", bfe_u64}, {"bfe.s64", bfe_s64},
                                               {"bfi.b32", bfi_32},  {"bfi.b64", bfi_64}};
    uint64_t random = 3;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        struct fake fake;
        fake_begin(&fake, fields[k].mnemonic);
        const bool insert = fake.op.f != PTX_TYPE_NONE;
        for (unsigned pos = 0; pos < 70; pos++)
            for (unsigned first = 0; first < 70; first += SIM_LANES) {
                uint64_t v[SIM_LANES][4];
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    const uint64_t cut = fake_lane_bytes(fake.op.d) == 8 ? UINT64_MAX : UINT32_MAX;
                    v[lane][0] = next_random(&random) & cut;
                    v[lane][1] = insert ? next_random(&random) & cut : pos;
                    v[lane][2] = insert ? pos : first + lane;
                    v[lane][3] = first + lane;
                    for (enum fake_slot slot = FAKE_A; slot <= FAKE_F; slot++)
                        if (fake_type(&fake, slot))
                            fake_set(&fake, slot, lane, v[lane][slot - FAKE_A]);
                }
                fake_run(&fake, SIM_ALL_LANES);
                for (unsigned lane = 0; lane < SIM_LANES; lane++)
                    assert_int_equal(fake_get(&fake, FAKE_D, lane), fields[k].reference(v[lane]));
            }
    }
}

/* The table and the selector are the same in all lanes if they are immediates. */
static void uniform_tables(void **state) {
    (void)state;
    static const struct checked_op uniform[] = {{"lop3.b32", lop3}, {"prmt.b32", prmt}};
    uint64_t random = 5;
    for (unsigned n = 0; n < 2 * 4096; n++) {
        const struct checked_op *op = &uniform[n % 2];
        const enum fake_slot slot = n % 2 ? FAKE_C : FAKE_F;
        struct fake fake;
        uint64_t v[SIM_LANES][4];
        fake_begin(&fake, op->mnemonic);
        const uint64_t all = n % 2 ? next_random(&random) & (n % 3 ? 0x7777 : 0xffffffff) : n / 2 % 256;
        const uint32_t mask = n % 5 ? SIM_ALL_LANES : (uint32_t)next_random(&random) | 1;
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            for (enum fake_slot k = FAKE_A; k <= FAKE_F; k++) {
                v[lane][k - FAKE_A] = k == slot ? all : next_random(&random) & UINT32_MAX;
                if (fake_type(&fake, k))
                    fake_set(&fake, k, lane, v[lane][k - FAKE_A]);
            }
        const uint64_t before = fake_get(&fake, FAKE_D, 0);
        fake_run(&fake, mask);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            assert_int_equal(fake_get(&fake, FAKE_D, lane),
                             mask >> lane & 1 ? op->reference(v[lane]) : before);
    }
}

static void predicates(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        uint32_t want;
    } rows[] = {{"and.pred", 0x00ff00ff & 0x0f0f3333},
                {"or.pred", 0x00ff00ff | 0x0f0f3333},
                {"xor.pred", 0x00ff00ff ^ 0x0f0f3333},
                {"not.pred", ~0x00ff00ffu},
                {"mov.pred", 0x00ff00ff}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake fake;
        fake_begin(&fake, rows[i].mnemonic);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            fake_set(&fake, FAKE_A, lane, 0x00ff00ffu >> lane & 1);
            fake_set(&fake, FAKE_B, lane, 0x0f0f3333u >> lane & 1);
        }
        fake_run(&fake, 0xfffffff0);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            assert_int_equal(fake_get(&fake, FAKE_D, lane),
                             (lane < 4 ? 0xa5a5a5a5u : rows[i].want) >> lane & 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_and_bytes), cmocka_unit_test(every_field),
                                       cmocka_unit_test(uniform_tables), cmocka_unit_test(predicates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
