/* f32 and f64 arithmetic in every rounding.  The reference is exact: it computes with numbers of many binary
 * digits and rounds by the definition of each mode. */
#include "tests/exec/lanes/exact.h"
#include "tests/exec/lanes/reference.h"

#include <stdio.h>

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };

static uint64_t compute(enum operation op, char mode, const uint64_t *in, struct exact_format format) {
    const uint64_t one = exact_one(format);
    switch (op) {
    case ADD:
        return exact_sum(in[0], one, in[1], format, mode);
    case SUB:
        return exact_sum(in[1], one | exact_sign(format), in[0], format, mode);
    case MUL:
        return exact_product(in[0], in[1], format, mode);
    case FMA:
        return exact_sum(in[0], in[1], in[2], format, mode);
    case DIV:
        return exact_quotient(in[0], in[1], format, mode);
    case RCP:
        return exact_quotient(one, in[0], format, mode);
    default:
        return exact_root(in[0], format, mode);
    }
}

/* The sign of an exact zero according to IEEE 754: a sum that cancels is -0 only towards -inf. */
static uint64_t expect(enum operation op, char mode, bool ftz, bool sat, const uint64_t *v, bool f64) {
    const struct exact_format format = f64 ? EXACT_F64 : EXACT_F32;
    uint64_t in[3];
    for (unsigned k = 0; k < 3; k++)
        in[k] = ftz && exact_is_subnormal(v[k], format) ? v[k] & 0x80000000 : v[k];
    uint64_t r = compute(op, mode, in, format);
    if (ftz) {
        for (unsigned k = 0; k < 3; k++)
            in[k] = exact_convert(in[k], format, exact_wider(format), 'n');
        if (exact_is_tiny(compute(op, mode, in, exact_wider(format)), format))
            r &= exact_sign(format);
    }
    if (sat && (exact_is_nan(r, format) || (r & exact_sign(format))))
        r = 0;
    if (sat && r > exact_one(format))
        r = exact_one(format);
    return r;
}

/* The NaN that an H200's f64 sums and products return: b's, c's or a's, made quiet, or a new one. */
static uint64_t nan_of(enum operation op, const uint64_t *v) {
    const uint64_t order[] = {v[1], op == FMA ? v[2] : v[1], v[0]};
    for (unsigned k = 0; k < 3; k++)
        if (exact_is_nan(order[k], EXACT_F64))
            return order[k] | UINT64_C(1) << 51;
    return 0xfff8000000000000;
}

static void check(const char *mnemonic, enum operation op, char mode, bool ftz, bool sat) {
    struct fake fake;
    fake_begin(&fake, mnemonic);
    const bool f64 = fake.op.d == PTX_TYPE_F64;
    const struct exact_format format = f64 ? EXACT_F64 : EXACT_F32;
    const enum ptx_type type = fake.op.d;
    const unsigned edges = edge_count(type);
    uint64_t random = 11;
    for (unsigned n = 0; n < 60; n++) {
        uint64_t v[SIM_LANES][3];
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            for (unsigned k = 0; k < 3; k++) {
                const uint64_t pick = next_random(&random);
                v[lane][k] = n < 31 && k < 2
                                 ? edge_value(type, (n * (k ? 1 : 0) + lane * (k ? 7 : 1)) % edges)
                             : pick % 4 ? edge_value(type, (unsigned)(pick >> 9) % edges) ^ (pick >> 60)
                                        : next_random(&random) >> (f64 ? 0 : 32);
                if (fake_type(&fake, FAKE_A + k))
                    fake_set(&fake, FAKE_A + k, lane, v[lane][k]);
            }
        fake_run(&fake, SIM_ALL_LANES);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            const uint64_t got = fake_get(&fake, FAKE_D, lane);
            uint64_t want = expect(op, mode, ftz, sat, v[lane], f64);
            if (f64 && exact_is_nan(want, format))
                want = op < DIV ? nan_of(op, v[lane]) : exact_is_nan(got, format) ? got : want;
            if (got != want)
                fail_msg("%s of %llx, %llx, %llx: %llx, not %llx", mnemonic, (unsigned long long)v[lane][0],
                         (unsigned long long)v[lane][1], (unsigned long long)v[lane][2],
                         (unsigned long long)got, (unsigned long long)want);
        }
    }
}

static void every_rounding(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum operation op;
        bool sat, unrounded; /* has .sat; may omit the rounding */
    } ops[] = {{"add", ADD, true, true},   {"sub", SUB, true, true},    {"mul", MUL, true, true},
               {"fma", FMA, true, false},  {"mad", FMA, true, false},   {"div", DIV, false, false},
               {"rcp", RCP, false, false}, {"sqrt", SQRT, false, false}};
    static const char *const modes[] = {".rn", ".rz", ".rm", ".rp", ""};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (unsigned m = 0; m < (ops[k].unrounded ? 5u : 4u); m++) {
            const char mode = m == 4 ? 'n' : modes[m][2];
            char name[32];
            for (unsigned f = 0; f < (ops[k].sat ? 4u : 2u); f++) {
                snprintf(name, sizeof name, "%s%s%s%s.f32", ops[k].name, modes[m], f & 1 ? ".ftz" : "",
                         f & 2 ? ".sat" : "");
                check(name, ops[k].op, mode, f & 1, f & 2);
            }
            snprintf(name, sizeof name, "%s%s.f64", ops[k].name, modes[m]);
            check(name, ops[k].op, mode, false, false);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
