/* Carries: multi-word sums, differences and products against 128-bit arithmetic. */
#include "tests/exec/lanes/reference.h"

#include <stdio.h>

/* One instruction on every lane, with the flag in and out. */
static void check_carry(const char *mnemonic, unsigned bits, char kind, bool high, bool is_signed, bool in,
                        bool out) {
    struct fake fake;
    fake_begin(&fake, mnemonic);
    assert_true(fake.op.flags & SIM_OP_CARRY);
    uint64_t random = bits;
    for (unsigned n = 0; n < 400; n++) {
        uint64_t v[SIM_LANES][3];
        const uint32_t flags = (uint32_t)next_random(&random);
        const uint32_t mask = n % 2 ? SIM_ALL_LANES : (uint32_t)next_random(&random) | 4;
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            for (unsigned k = 0; k < 3; k++) {
                const uint64_t pick = next_random(&random);
                v[lane][k] = (uint64_t)u(
                    pick % 3 ? edge_value(PTX_TYPE_U64, (unsigned)(pick >> 9) % edge_count(PTX_TYPE_U64))
                             : pick,
                    bits);
                if (fake_type(&fake, FAKE_A + k))
                    fake_set(&fake, FAKE_A + k, lane, v[lane][k]);
            }
        fake.warp.cc = flags;
        fake_run(&fake, mask);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            if (!(mask >> lane & 1)) {
                assert_int_equal(fake.warp.cc >> lane & 1, flags >> lane & 1);
                continue;
            }
            const wide carry = in ? flags >> lane & 1 : 0;
            wide exact;
            bool flag = false;
            if (kind == '+') {
                exact = (wide)v[lane][0] + v[lane][1] + carry;
            } else if (kind == '-') { /* the flag is set if there is no borrow */
                exact = (wide)v[lane][0] - v[lane][1] - (in && !carry);
                flag = exact >= 0;
            } else {
                const wide x = is_signed ? s(v[lane][0], bits) : v[lane][0],
                           y = is_signed ? s(v[lane][1], bits) : v[lane][1];
                const wide half = (wide)((uwide)x * (uwide)y >> (high ? bits : 0));
                exact = u(half, bits) + v[lane][2] + carry;
            }
            assert_int_equal(fake_get(&fake, FAKE_D, lane), (uint64_t)u(exact, bits));
            if (kind != '-')
                flag = exact >> bits & 1;
            assert_int_equal(fake.warp.cc >> lane & 1, out ? flag : flags >> lane & 1);
        }
    }
}

static void every_form(void **state) {
    (void)state;
    for (unsigned bits = 32; bits <= 64; bits += 32)
        for (unsigned k = 0; k < 2; k++) {
            const char type = k ? 's' : 'u';
            char name[32];
#define FORM(prefix, kind, high, in, out)                                                                    \
    snprintf(name, sizeof name, prefix ".%c%u", type, bits);                                                 \
    check_carry(name, bits, kind, high, k, in, out)
            FORM("add.cc", '+', false, false, true);
            FORM("addc", '+', false, true, false);
            FORM("addc.cc", '+', false, true, true);
            FORM("sub.cc", '-', false, false, true);
            FORM("subc", '-', false, true, false);
            FORM("subc.cc", '-', false, true, true);
            FORM("mad.lo.cc", '*', false, false, true);
            FORM("mad.hi.cc", '*', true, false, true);
            FORM("madc.lo", '*', false, true, false);
            FORM("madc.hi", '*', true, true, false);
            FORM("madc.lo.cc", '*', false, true, true);
            FORM("madc.hi.cc", '*', true, true, true);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
