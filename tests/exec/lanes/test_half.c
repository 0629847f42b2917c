/* f16 and bf16 arithmetic against exact arithmetic, single and in pairs. */
#include "tests/exec/lanes/exact.h"
#include "tests/exec/lanes/reference.h"

#include <stdio.h>
#include <stdlib.h>

enum operation { ADD, SUB, MUL, FMA, MIN, MAX, ABS, NEG };

struct form {
    bool bf16, ftz, sat, relu, nan, xorsign_abs;
};

static uint64_t flush(uint64_t h, struct form form) {
    return form.ftz && exact_is_subnormal(h, EXACT_F16) ? h & 0x8000 : h;
}

static uint64_t choose(uint64_t a, uint64_t b, bool most, bool nan, struct exact_format f) {
    const bool x = exact_is_nan(a, f), y = exact_is_nan(b, f);
    if (x || y)
        return nan || (x && y) ? 0x7fff : x ? b : a;
    const int ra = a & 0x8000 ? -1 - (int)(a & 0x7fff) : (int)a,
              rb = b & 0x8000 ? -1 - (int)(b & 0x7fff) : (int)b;
    return (ra > rb) == most ? a : b;
}

static uint64_t compute(enum operation op, uint64_t a, uint64_t b, uint64_t c, struct exact_format f) {
    switch (op) {
    case ADD:
        return exact_sum(a, exact_one(f), b, f, 'n');
    case SUB:
        return exact_sum(b, exact_one(f) | exact_sign(f), a, f, 'n');
    case MUL:
        return exact_product(a, b, f, 'n');
    default:
        return exact_sum(a, b, c, f, 'n');
    }
}

static bool is_tiny(enum operation op, uint64_t a, uint64_t b, uint64_t c) {
    const struct exact_format wider = exact_wider(EXACT_F16);
    return exact_is_tiny(compute(op, exact_convert(a, EXACT_F16, wider, 'n'),
                                 exact_convert(b, EXACT_F16, wider, 'n'),
                                 exact_convert(c, EXACT_F16, wider, 'n'), wider),
                         EXACT_F16);
}

static uint64_t expect(enum operation op, struct form form, uint64_t a, uint64_t b, uint64_t c) {
    const struct exact_format f = form.bf16 ? EXACT_BF16 : EXACT_F16;
    a = flush(a, form), b = flush(b, form), c = flush(c, form);
    uint64_t r = 0;
    switch (op) {
    case MIN:
    case MAX:
        if (!form.xorsign_abs)
            return choose(a, b, op == MAX, form.nan, f);
        r = choose(a & 0x7fff, b & 0x7fff, op == MAX, form.nan, f);
        return exact_is_nan(r, f) ? r : r | ((a ^ b) & 0x8000);
    case ABS:
        return exact_is_nan(a, f) ? 0x7fff : a & 0x7fff;
    case NEG:
        return exact_is_nan(a, f) ? 0x7fff : a ^ 0x8000;
    default:
        r = compute(op, a, b, c, f);
    }
    if (form.ftz && is_tiny(op, a, b, c))
        r &= 0x8000;
    if (form.sat)
        r = exact_is_nan(r, f) || r & 0x8000 ? 0 : r > 0x3c00 ? 0x3c00 : r;
    return form.relu && r & 0x8000 ? 0 : r;
}

static void check(const char *mnemonic, enum operation op, struct form form) {
    for (unsigned pair = 0; pair < 2; pair++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s%s", mnemonic, form.bf16 ? "bf16" : "f16", pair ? "x2" : "");
        struct fake fake;
        fake_begin(&fake, name);
        const unsigned edges = edge_count(PTX_TYPE_F16);
        uint64_t random = 17;
        for (unsigned n = 0; n < 80; n++) {
            uint32_t v[SIM_LANES][3];
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                for (unsigned k = 0; k < 3; k++) {
                    const uint64_t x = next_random(&random),
                                   low = edge_value(PTX_TYPE_F16, (unsigned)(x >> 40) % edges);
                    const uint64_t high =
                        x % 3 ? x >> 16 : edge_value(PTX_TYPE_F16, (unsigned)(x >> 50) % edges);
                    v[lane][k] = (uint32_t)(x % 5 ? (low ^ (x >> 60 & 3)) | high << 16 : x >> 7);
                    v[lane][k] &= pair ? 0xffffffff : 0xffff;
                    if (fake_type(&fake, FAKE_A + k))
                        fake_set(&fake, FAKE_A + k, lane, v[lane][k]);
                }
            fake_run(&fake, SIM_ALL_LANES);
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                const uint32_t *x = v[lane];
                uint64_t want = expect(op, form, x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff);
                if (pair)
                    want |= expect(op, form, x[0] >> 16, x[1] >> 16, x[2] >> 16) << 16;
                if (fake_get(&fake, FAKE_D, lane) != want)
                    fail_msg("%s of %x, %x, %x: %llx, not %llx", name, x[0], x[1], x[2],
                             (unsigned long long)fake_get(&fake, FAKE_D, lane), (unsigned long long)want);
            }
        }
    }
}

static void arithmetic(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum operation op;
    } ops[] = {{"add", ADD},    {"sub", SUB},    {"mul", MUL},   {"add.rn", ADD},
               {"sub.rn", SUB}, {"mul.rn", MUL}, {"fma.rn", FMA}};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        check(ops[k].name, ops[k].op, (struct form){.bf16 = true});
        for (unsigned n = 0; n < 4; n++) {
            char name[32];
            snprintf(name, sizeof name, "%s%s%s", ops[k].name, n & 1 ? ".ftz" : "", n & 2 ? ".sat" : "");
            check(name, ops[k].op, (struct form){.ftz = n & 1, .sat = n & 2});
        }
    }
    check("fma.rn.relu", FMA, (struct form){.bf16 = true, .relu = true});
    check("fma.rn.relu", FMA, (struct form){.relu = true});
    check("fma.rn.ftz.relu", FMA, (struct form){.relu = true, .ftz = true});
}

static void min_max_and_signs(void **state) {
    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        const struct form form = {.ftz = n & 2, .nan = n & 4, .xorsign_abs = n & 8, .bf16 = n & 16};
        if (form.ftz && form.bf16)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s%s%s%s", n & 1 ? "max" : "min", form.ftz ? ".ftz" : "",
                 form.nan ? ".NaN" : "", form.xorsign_abs ? ".xorsign.abs" : "");
        check(name, n & 1 ? MAX : MIN, form);
    }
    check("abs", ABS, (struct form){0});
    check("neg", NEG, (struct form){0});
    check("abs.ftz", ABS, (struct form){.ftz = true});
    check("neg.ftz", NEG, (struct form){.ftz = true});
    check("abs", ABS, (struct form){.bf16 = true});
    check("neg", NEG, (struct form){.bf16 = true});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic), cmocka_unit_test(min_max_and_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
