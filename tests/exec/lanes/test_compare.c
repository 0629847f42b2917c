/* setp, set and testp: every comparison and type, alone, with a third operand, with |q, to a register. */
#include "tests/exec/lanes/reference.h"

#include <stdio.h>

static const char *const int_names[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
static const char *const float_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

/* A name's first two letters give the orders for which it holds; with 'u' it also holds if unordered. */
static bool holds(const char *name, bool less, bool equal, bool greater, bool unordered) {
    const struct {
        const char *name;
        const char *orders;
    } meaning[] = {{"eq", "="},    {"ne", "<>"},   {"lt", "<"},   {"le", "<="},   {"gt", ">"},
                   {"ge", ">="},   {"lo", "<"},    {"ls", "<="},  {"hi", ">"},    {"hs", ">="},
                   {"equ", "=?"},  {"neu", "<>?"}, {"ltu", "<?"}, {"leu", "<=?"}, {"gtu", ">?"},
                   {"geu", ">=?"}, {"num", "<=>"}, {"nan", "?"}};
    for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
        if (strcmp(meaning[i].name, name) == 0)
            return strchr(meaning[i].orders, less ? '<' : equal ? '=' : greater ? '>' : '?') != NULL;
    (void)unordered;
    fail_msg("%s?", name);
    return false;
}

static bool compares(const char *name, enum ptx_type type, bool ftz, uint64_t a, uint64_t b) {
    double x, y;
    switch (type) {
    case PTX_TYPE_F32:
        x = as_f32(ftz && !(a & 0x7f800000) ? 0 : a), y = as_f32(ftz && !(b & 0x7f800000) ? 0 : b);
        return holds(name, x<y, x == y, x> y, true);
    case PTX_TYPE_F64:
        x = as_f64(a), y = as_f64(b);
        return holds(name, x<y, x == y, x> y, true);
    default: {
        const unsigned bits = 8 * ptx_type_bytes(type);
        const bool is_signed = ptx_type_name(type)[0] == 's';
        const wide p = is_signed ? s(a, bits) : u(a, bits), q = is_signed ? s(b, bits) : u(b, bits);
        return holds(name, p<q, p == q, p> q, false);
    }
    }
}

static bool combined(const char *combine, bool x, bool with) {
    return !*combine                      ? x
           : strcmp(combine, ".and") == 0 ? x && with
           : strcmp(combine, ".or") == 0  ? x || with
                                          : x != with;
}

/* Every pair of edge values, 32 per run. */
static void check_compare(const char *name, enum ptx_type type, bool ftz) {
    static const char *const combines[] = {"", ".and", ".or", ".xor"};
    static const char *const forms[] = {"setp", "setp|q", "u32", "s32", "f32"};
    const unsigned edges = edge_count(type);
    for (unsigned k = 0; k < 4 * 5; k++) {
        const char *combine = combines[k % 4], *form = forms[k / 4];
        const bool predicate = k / 4 < 2;
        char mnemonic[64];
        snprintf(mnemonic, sizeof mnemonic, "%s.%s%s%s%s%s.%s", predicate ? "setp" : "set", name, combine,
                 ftz ? ".ftz" : "", predicate ? "" : ".", predicate ? "" : form, ptx_type_name(type));
        struct fake fake;
        fake_begin(&fake, mnemonic);
        if (k / 4 == 0)
            fake.insn.e = SIM_NO_OPERAND;
        for (unsigned n = 0; n < edges * edges; n += SIM_LANES) {
            const uint32_t mask = n / SIM_LANES % 2 ? 0x7edcba98 : SIM_ALL_LANES;
            uint64_t before_d[SIM_LANES], before_e[SIM_LANES];
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                const unsigned pair = (n + lane) % (edges * edges);
                fake_set(&fake, FAKE_A, lane, edge_value(type, pair / edges));
                fake_set(&fake, FAKE_B, lane, edge_value(type, pair % edges));
                if (*combine)
                    fake_set(&fake, FAKE_C, lane, pair % 3 == 0);
                before_d[lane] = fake_get(&fake, FAKE_D, lane);
                before_e[lane] = predicate ? fake_get(&fake, FAKE_E, lane) : 0;
            }
            fake_run(&fake, mask);
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                const unsigned pair = (n + lane) % (edges * edges);
                const bool on = mask >> lane & 1;
                const bool yes =
                    compares(name, type, ftz, edge_value(type, pair / edges), edge_value(type, pair % edges));
                const bool p = combined(combine, yes, pair % 3 == 0),
                           q = combined(combine, !yes, pair % 3 == 0);
                const uint64_t truth = predicate ? 1 : strcmp(form, "f32") == 0 ? 0x3f800000 : 0xffffffff;
                if (fake_get(&fake, FAKE_D, lane) != (on ? (p ? truth : 0) : before_d[lane]))
                    fail_msg("%s of %llx, %llx", mnemonic, (unsigned long long)edge_value(type, pair / edges),
                             (unsigned long long)edge_value(type, pair % edges));
                if (predicate)
                    assert_int_equal(fake_get(&fake, FAKE_E, lane), on && k / 4 == 1 ? q : before_e[lane]);
            }
        }
    }
}

static void integers(void **state) {
    (void)state;
    static const enum ptx_type types[] = {PTX_TYPE_B16, PTX_TYPE_U16, PTX_TYPE_S16,
                                          PTX_TYPE_B32, PTX_TYPE_U32, PTX_TYPE_S32,
                                          PTX_TYPE_B64, PTX_TYPE_U64, PTX_TYPE_S64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const char kind = ptx_type_name(types[t])[0];
        for (unsigned n = 0; n < (kind == 'b' ? 2u : kind == 's' ? 6u : 10u); n++)
            check_compare(int_names[n], types[t], false);
    }
}

static void floats(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof float_names / sizeof *float_names; n++) {
        check_compare(float_names[n], PTX_TYPE_F32, false);
        check_compare(float_names[n], PTX_TYPE_F32, true);
        check_compare(float_names[n], PTX_TYPE_F64, false);
    }
}

/* A half's value, from its fields. */
static double half_value(uint64_t h, bool bf16, bool ftz) {
    const int mantissa = bf16 ? 7 : 10, top = bf16 ? 255 : 31, bias = bf16 ? 127 : 15;
    const int exponent = (int)(h >> mantissa) & top;
    const double fraction = (double)(h & ((1u << mantissa) - 1)), scale = 1 << mantissa;
    double x;
    if (exponent == top)
        x = fraction != 0 ? as_f64(0x7ff8000000000000) : as_f64(0x7ff0000000000000);
    else if (exponent == 0 && ftz)
        x = 0;
    else
        x = exponent == 0 ? fraction / scale : 1 + fraction / scale;
    for (int e = exponent ? exponent : 1; exponent != top && e < bias; e++)
        x /= 2;
    for (int e = exponent; exponent != top && e > bias; e--)
        x *= 2;
    return h >> 15 & 1 ? -x : x;
}

static void halves(void **state) {
    (void)state;
    static const struct {
        const char *type;
        bool bf16, ftz, pair;
    } types[] = {{"f16", false, false, false},  {"f16", false, true, false},   {"bf16", true, false, false},
                 {"f16x2", false, false, true}, {"bf16x2", true, false, true}, {"f16x2", false, true, true}};
    const unsigned edges = edge_count(PTX_TYPE_F16);
    for (unsigned t = 0; t < 6; t++)
        for (unsigned k = 0; k < sizeof float_names / sizeof *float_names; k++)
            for (unsigned form = 0; form < 3; form++) {
                static const char *const to_single[] = {"", ".u16", ".bf16"}, *const to_pair[] = {"", ".u32",
                                                                                                  ".f16x2"};
                char name[64];
                snprintf(name, sizeof name, "%s.%s%s%s%s.%s", form ? "set" : "setp", float_names[k],
                         form == 0 ? ".or" : "", types[t].ftz ? ".ftz" : "",
                         (types[t].pair ? to_pair : to_single)[form], types[t].type);
                struct fake fake;
                fake_begin(&fake, name);
                for (unsigned n = 0; n < edges * edges; n += SIM_LANES) {
                    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                        const unsigned pair = (n + lane) % (edges * edges);
                        fake_set(&fake, FAKE_A, lane, edge_value(fake.op.a, pair / edges));
                        fake_set(&fake, FAKE_B, lane, edge_value(fake.op.b, pair % edges));
                        if (form == 0)
                            fake_set(&fake, FAKE_C, lane, lane % 5 == 0);
                    }
                    fake_run(&fake, SIM_ALL_LANES);
                    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                        bool yes[2];
                        for (unsigned h = 0; h < 2; h++) {
                            const double x = half_value(fake_get(&fake, FAKE_A, lane) >> 16 * h,
                                                        types[t].bf16, types[t].ftz);
                            const double y = half_value(fake_get(&fake, FAKE_B, lane) >> 16 * h,
                                                        types[t].bf16, types[t].ftz);
                            yes[h] = holds(float_names[k], x<y, x == y, x> y, true);
                        }
                        const bool with = lane % 5 == 0;
                        if (form == 0) {
                            assert_int_equal(fake_get(&fake, FAKE_D, lane), yes[0] || with);
                            assert_int_equal(fake_get(&fake, FAKE_E, lane),
                                             (types[t].pair ? yes[1] : !yes[0]) || with);
                            continue;
                        }
                        const uint32_t truth = form == 1 ? 0xffff : types[t].pair ? 0x3c00 : 0x3f80;
                        const uint32_t want =
                            (yes[0] ? truth : 0) | (types[t].pair && yes[1] ? truth << 16 : 0);
                        assert_int_equal(fake_get(&fake, FAKE_D, lane), want);
                    }
                }
            }
}

static uint64_t class_of(uint64_t bits, unsigned mantissa, unsigned width) {
    const uint64_t exponent = (uint64_t)u(bits >> mantissa, width - 1 - mantissa);
    const uint64_t fraction = (uint64_t)u(bits, mantissa), top = (UINT64_C(1) << (width - 1 - mantissa)) - 1;
    /* bit 0 finite, 1 infinite, 2 number, 3 not a number, 4 normal (including zeros), 5 subnormal */
    return exponent == top ? (fraction ? 8 : 2 | 4) : 1 | 4 | (!exponent && fraction ? 32 : 16);
}

static void classes(void **state) {
    (void)state;
    static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (unsigned k = 0; k < 6; k++)
        for (unsigned wide_type = 0; wide_type < 2; wide_type++) {
            const enum ptx_type type = wide_type ? PTX_TYPE_F64 : PTX_TYPE_F32;
            char name[32];
            snprintf(name, sizeof name, "testp.%s.%s", names[k], ptx_type_name(type));
            struct fake fake;
            fake_begin(&fake, name);
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                fake_set(&fake, FAKE_A, lane, edge_value(type, lane % edge_count(type)));
            fake_run(&fake, SIM_ALL_LANES);
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                const uint64_t bits = edge_value(type, lane % edge_count(type));
                const uint64_t is = wide_type ? class_of(bits, 52, 64) : class_of(bits, 23, 32);
                assert_int_equal(fake_get(&fake, FAKE_D, lane), is >> k & 1);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers), cmocka_unit_test(floats),
                                       cmocka_unit_test(halves), cmocka_unit_test(classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
