/* Across lanes: shfl, vote, match, redux, activemask, elect; several member masks at once. */
#include "tests/exec/lanes/reference.h"

#include <stdio.h>

/* PTX's own pseudo-code. */
static uint32_t shfl_source(const char *mode, uint32_t lane, uint32_t b, uint32_t c, bool *p) {
    const uint32_t bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    const uint32_t max_lane = (lane & segmask) | (cval & ~segmask & 31), min_lane = lane & segmask;
    int j = 0;
    if (strcmp(mode, "up") == 0) {
        j = (int)lane - (int)bval;
        *p = j >= (int)max_lane;
    } else if (strcmp(mode, "down") == 0) {
        j = (int)(lane + bval);
        *p = j <= (int)max_lane;
    } else if (strcmp(mode, "bfly") == 0) {
        j = (int)(lane ^ bval);
        *p = j <= (int)max_lane;
    } else {
        j = (int)(min_lane | (bval & ~segmask & 31));
        *p = j <= (int)max_lane;
    }
    return *p ? (uint32_t)j : lane;
}

static void shuffles(void **state) {
    (void)state;
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    for (unsigned k = 0; k < 8; k++)
        for (unsigned b = 0; b < 40; b++)
            for (unsigned width = 1; width <= 32; width *= 2) {
                char name[32];
                snprintf(name, sizeof name, "shfl%s.%s.b32", k & 4 ? ".sync" : "", modes[k & 3]);
                struct fake fake;
                fake_begin(&fake, name);
                const uint32_t c = (32 - width) << 8 | ((k & 3) == 0 ? 0 : 31);
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    fake_set(&fake, FAKE_A, lane, 1000 + lane);
                    fake_set(&fake, FAKE_B, lane, width == 4 ? (b + lane) & 63 : b);
                    fake_set(&fake, FAKE_C, lane, c);
                    if (k & 4)
                        fake_set(&fake, FAKE_F, lane, SIM_ALL_LANES);
                }
                fake.insn.d = width == 8 ? fake.insn.a : fake.insn.d; /* in place */
                if (b % 2)
                    fake.insn.e = SIM_NO_OPERAND;
                fake_run(&fake, SIM_ALL_LANES);
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    bool p;
                    const uint32_t from =
                        shfl_source(modes[k & 3], lane, width == 4 ? (b + lane) & 63 : b, c, &p);
                    assert_int_equal(fake_get(&fake, width == 8 ? FAKE_A : FAKE_D, lane), 1000 + from);
                    if (b % 2 == 0)
                        assert_int_equal(fake_get(&fake, FAKE_E, lane), p);
                }
            }
}

/* Groups of lanes: two groups with their own masks, and lanes that do not take part. */
static const uint32_t groups[] = {0x0000ff0f, 0xf00000f0};
static const uint32_t taking_part = 0xf000ffff;

static uint32_t group_of(unsigned lane) {
    return groups[0] >> lane & 1 ? groups[0] : groups[1];
}

static void begin_groups(struct fake *fake, const char *name, bool sync) {
    fake_begin(fake, name);
    assert_int_equal(fake->op.flags & SIM_OP_SYNC, sync ? SIM_OP_SYNC : 0);
    for (unsigned lane = 0; sync && lane < SIM_LANES; lane++)
        fake_set(fake, FAKE_B, lane, group_of(lane));
}

static void votes(void **state) {
    (void)state;
    static const uint32_t ballots[] = {0, SIM_ALL_LANES, 0x00000001, 0x0000ff0f, 0x0fffffff, 0xf00000f0};
    static const char *const kinds[] = {"all.pred", "any.pred", "uni.pred", "ballot.b32"};
    for (unsigned sync = 0; sync < 2; sync++)
        for (unsigned k = 0; k < 4; k++)
            for (unsigned n = 0; n < 6; n++) {
                char name[32];
                struct fake fake;
                snprintf(name, sizeof name, "vote%s.%s", sync ? ".sync" : "", kinds[k]);
                begin_groups(&fake, name, sync);
                uint64_t before[SIM_LANES];
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    fake_set(&fake, FAKE_A, lane, ballots[n] >> lane & 1);
                    before[lane] = fake_get(&fake, FAKE_D, lane);
                }
                fake_run(&fake, taking_part);
                for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                    const uint32_t group = sync ? group_of(lane) & taking_part : taking_part,
                                   yes = ballots[n] & group;
                    const uint64_t want[] = {yes == group, yes != 0, yes == group || yes == 0, yes};
                    assert_int_equal(fake_get(&fake, FAKE_D, lane),
                                     taking_part >> lane & 1 ? want[k] : before[lane]);
                }
            }
}

static void matches(void **state) {
    (void)state;
    for (unsigned k = 0; k < 12; k++) {
        const bool all = k & 1, b64 = k & 2;
        char name[32];
        struct fake fake;
        uint64_t value[SIM_LANES];
        snprintf(name, sizeof name, "match.%s.sync.b%d", all ? "all" : "any", b64 ? 64 : 32);
        begin_groups(&fake, name, true);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            value[lane] = k < 4 ? lane % 3 : k < 8 ? 7 : lane == 2;
            if (b64) /* equal low halves */
                value[lane] = value[lane] << 40 | 5;
            fake_set(&fake, FAKE_A, lane, value[lane]);
        }
        fake_run(&fake, taking_part);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            if (!(taking_part >> lane & 1))
                continue;
            const uint32_t group = group_of(lane) & taking_part;
            uint32_t same = 0;
            for (unsigned j = 0; j < SIM_LANES; j++)
                if (group >> j & 1 && value[j] == value[lane])
                    same |= 1u << j;
            assert_int_equal(fake_get(&fake, FAKE_D, lane), !all || same == group ? same : 0);
            if (all)
                assert_int_equal(fake_get(&fake, FAKE_E, lane), same == group);
        }
    }
}

static uint32_t fold(unsigned k, uint32_t x, uint32_t y) {
    const int32_t p = (int32_t)x, q = (int32_t)y;
    const uint32_t all[] = {
        x + y, x + y, x < y ? x : y, x > y ? x : y, (uint32_t)(p < q ? p : q), (uint32_t)(p > q ? p : q),
        x & y, x | y, x ^ y};
    return all[k];
}

static void reductions(void **state) {
    (void)state;
    static const char *const kinds[] = {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32",
                                        "max.s32", "and.b32", "or.b32",  "xor.b32"};
    uint64_t random = 29;
    for (unsigned k = 0; k < 9; k++)
        for (unsigned n = 0; n < 8; n++) {
            char name[32];
            struct fake fake;
            uint32_t value[SIM_LANES];
            snprintf(name, sizeof name, "redux.sync.%s", kinds[k]);
            begin_groups(&fake, name, true);
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                fake_set(&fake, FAKE_A, lane, value[lane] = (uint32_t)next_random(&random));
            fake_run(&fake, taking_part);
            for (unsigned lane = 0; lane < SIM_LANES; lane++) {
                if (!(taking_part >> lane & 1))
                    continue;
                bool first = true;
                uint32_t want = 0;
                for (unsigned j = 0; j < SIM_LANES; j++)
                    if (group_of(lane) & taking_part & 1u << j) {
                        want = first ? value[j] : fold(k, want, value[j]);
                        first = false;
                    }
                assert_int_equal(fake_get(&fake, FAKE_D, lane), want);
            }
        }
}

static void active_and_elected(void **state) {
    (void)state;
    struct fake fake;
    fake_begin(&fake, "activemask.b32");
    fake_run(&fake, 0x00f0000f);
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        assert_int_equal(fake_get(&fake, FAKE_D, lane), 0x00f0000f >> lane & 1 ? 0x00f0000f : 0xa5a5a5a5);
    fake_begin(&fake, "elect.sync");
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        fake_set(&fake, FAKE_A, lane, group_of(lane));
    fake_run(&fake, taking_part);
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        if (taking_part >> lane & 1) {
            const unsigned leader = group_of(lane) == groups[0] ? 0 : 4;
            assert_int_equal(fake_get(&fake, FAKE_D, lane), leader);
            assert_int_equal(fake_get(&fake, FAKE_E, lane), lane == leader);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shuffles), cmocka_unit_test(votes),
                                       cmocka_unit_test(matches), cmocka_unit_test(reductions),
                                       cmocka_unit_test(active_and_elected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
