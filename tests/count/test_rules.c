/* The table's look-ups, and the cost of single requests according to the documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/count/totals.h"

static const char *const names[] = {"fermi", "fermi-l2", "kepler", "maxwell", "pascal",
                                    "sm_70", "sm_72",    "sm_75",  "sm_80",   "sm_86",
                                    "sm_87", "sm_89",    "sm_90",  "sm_100",  "sm_120"};

static void names_are_found(void **state) {
    (void)state;
    unsigned rows = sizeof names / sizeof *names;
    for (unsigned i = 0; i < rows; i++) {
        const struct count_rules *rules = count_rules_find(names[i]);
        assert_non_null(rules);
        assert_ptr_equal(rules, count_rules_at(i));
        assert_string_equal(count_rules_name(rules), names[i]);
    }
    assert_null(count_rules_at(rows));
    assert_null(count_rules_at(~0u));
    assert_ptr_equal(count_rules_find(NULL), count_rules_find("sm_90"));
    static const char *const unknown[] = {"", "sm_9", "sm_900", "SM_90", "fermi-l", "fermi-l22", "volta"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(count_rules_find(unknown[i]));
}

static void capabilities_follow_the_names(void **state) {
    (void)state;
    assert_int_equal(count_rules_capability(count_rules_find("fermi")), 20);
    assert_int_equal(count_rules_capability(count_rules_find("fermi-l2")), 20);
    assert_int_equal(count_rules_capability(count_rules_find("kepler")), 35);
    assert_int_equal(count_rules_capability(count_rules_find("maxwell")), 52);
    assert_int_equal(count_rules_capability(count_rules_find("pascal")), 61);
    for (unsigned i = 0; count_rules_at(i); i++) {
        const char *name = count_rules_name(count_rules_at(i));
        if (!strncmp(name, "sm_", 3))
            assert_int_equal(count_rules_capability(count_rules_at(i)), strtoul(name + 3, NULL, 10));
    }
}

static void only_what_was_measured_is_proved(void **state) {
    (void)state;
    for (unsigned i = 0; count_rules_at(i); i++)
        assert_int_equal(count_rules_proved(count_rules_at(i)), !strcmp(names[i], "sm_90"));
}

/* Addresses start + lane * step. */
static struct count_result cost_of(const char *rules, count_fn *count, struct count_access access,
                                   uint64_t start, uint64_t step) {
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = start + lane * step;
    access.mask = 0xffffffff;
    access.address = address;
    return count(count_rules_find(rules), &access);
}

static struct count_result cost(const char *rules, count_fn *count, enum count_kind kind, unsigned width,
                                uint64_t start, uint64_t step) {
    return cost_of(rules, count, (struct count_access){.kind = kind, .width = width}, start, step);
}

/* A load that skips L1: ld.global.cg. */
static struct count_result cost_past(const char *rules, unsigned width, uint64_t start, uint64_t step) {
    struct count_access access = {.kind = COUNT_LOAD, .skips_l1 = true, .width = width};
    return cost_of(rules, count_global, access, start, step);
}

static void assert_cost(struct count_result got, unsigned transactions, unsigned moved, unsigned useful) {
    assert_int_equal(got.transactions, transactions);
    assert_int_equal(got.moved_bytes, moved);
    assert_int_equal(got.useful_bytes, useful);
}

static void lines_and_sectors(void **state) {
    (void)state;
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 4, 0, 4), 1, 128, 128);
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 8, 0, 8), 2, 256, 256);
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 16, 0, 16), 4, 512, 512);
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 4, 44, 4), 2, 256, 128);
    assert_cost(cost("fermi", count_global, COUNT_STORE, 4, 44, 4), 5, 160, 128);
    /* Quarter-warps that meet in a line move it once each. */
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 16, 64, 16), 8, 1024, 512);
    /* An array of structures of two floats. */
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 4, 0, 8), 2, 256, 128);
    assert_cost(cost("sm_90", count_global, COUNT_LOAD, 4, 0, 8), 8, 256, 128);
    assert_cost(cost("sm_90", count_global, COUNT_LOAD, 16, 0, 16), 16, 512, 512);
    /* Eight lanes at a time: aligned costs the same, misaligned twice as much. */
    assert_cost(cost("pascal", count_global, COUNT_LOAD, 4, 0, 4), 4, 128, 128);
    assert_cost(cost("pascal", count_global, COUNT_LOAD, 8, 0, 8), 8, 256, 256);
    assert_cost(cost("pascal", count_global, COUNT_LOAD, 16, 0, 16), 16, 512, 512);
    assert_cost(cost("maxwell", count_global, COUNT_LOAD, 4, 44, 4), 8, 256, 128);
    assert_cost(cost("maxwell", count_global, COUNT_STORE, 4, 44, 4), 5, 160, 128);
}

/* A misaligned read of floats past L1 costs 5 segments if a whole warp goes at once (docs/counters.md). */
static void loads_past_l1(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        assert_cost(cost_past(names[i], 4, 44, 4), 5, 160, 128);
    assert_cost(cost("fermi-l2", count_global, COUNT_LOAD, 4, 44, 4), 5, 160, 128);
    assert_cost(cost("kepler", count_global, COUNT_LOAD, 4, 44, 4), 5, 160, 128);
    /* Local memory stays in L1. */
    assert_cost(cost("fermi-l2", count_local, COUNT_LOAD, 4, 64, 0), 1, 128, 128);
    assert_cost(cost("kepler", count_local, COUNT_LOAD, 4, 64, 0), 1, 128, 128);
}

/* Leaves bytes of one value where the next function's variables will be. */
static void fill_stack(int byte) {
    volatile char below[4096];
    for (size_t i = 0; i < sizeof below; i++)
        below[i] = (char)byte;
}

/* Shared memory begins at 0; words in descending order are looked up in a set, which must begin empty. */
static void offset_zero_counts(void **state) {
    (void)state;
    uint64_t address[32];
    struct count_access access = {.kind = COUNT_LOAD, .width = 4, .mask = ~0u, .address = address};
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = 4 * (31 - lane);
    for (int byte = -1; byte <= 0; byte++) {
        fill_stack(byte);
        assert_cost(count_shared(count_rules_find("sm_90"), &access), 1, 128, 128);
        fill_stack(byte);
        assert_cost(count_global(count_rules_find("sm_90"), &access), 4, 128, 128);
    }
}

/* Bytes that are named repeatedly count once, anywhere in a line and in any order. */
static void bytes_named_twice(void **state) {
    (void)state;
    uint64_t address[32] = {0};
    struct count_access access = {.kind = COUNT_LOAD, .width = 1, .mask = 7, .address = address};
    for (unsigned a = 0; a < 128; a++)
        for (unsigned b = 0; b < 128; b++) {
            address[0] = address[2] = 1024 + a;
            address[1] = 1024 + b;
            struct count_result result = count_global(count_rules_find("fermi"), &access);
            assert_cost(result, 1, 128, a == b ? 1 : 2);
        }
}

/* A fetch costs the sectors of its existing corners. */
static void texture_corners(void **state) {
    (void)state;
    static const uint64_t address[3][32] = {{0}, {4096}, {8192}};
    static const uint32_t mask[3] = {1, 1, 1};
    for (unsigned corners = 0; corners <= 2; corners++) {
        const struct count_texels texels = {
            .width = 4, .lanes = 4, .active = 1, .corners = corners, .mask = mask, .address = address};
        const struct count_texture_result result = count_texture(&texels);
        assert_int_equal(result.requests, 1);
        assert_int_equal(result.transactions, corners);
    }
}

/* Each group of lanes that goes together pays for a broadcast once. */
static void groups_of_lanes(void **state) {
    (void)state;
    static const struct {
        const char *rules;
        unsigned loads[3], past[3], stores[3]; /* of 4, 8 and 16 bytes */
    } expected[] = {
        {"fermi", {1, 2, 4}, {1, 2, 4}, {1, 2, 4}},   {"fermi-l2", {1, 2, 4}, {1, 2, 4}, {1, 2, 4}},
        {"kepler", {1, 2, 4}, {1, 2, 4}, {1, 2, 4}},  {"maxwell", {4, 8, 16}, {1, 1, 1}, {1, 1, 1}},
        {"pascal", {4, 8, 16}, {1, 1, 1}, {1, 1, 1}}, {"sm_70", {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {"sm_90", {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (unsigned w = 0; w < 3; w++) {
            const char *rules = expected[i].rules;
            unsigned width = 4u << w;
            assert_int_equal(cost(rules, count_global, COUNT_LOAD, width, 64, 0).transactions,
                             expected[i].loads[w]);
            assert_int_equal(cost_past(rules, width, 64, 0).transactions, expected[i].past[w]);
            assert_int_equal(cost(rules, count_global, COUNT_STORE, width, 64, 0).transactions,
                             expected[i].stores[w]);
        }
}

static void broadcasts(void **state) {
    (void)state;
    assert_cost(cost("sm_90", count_global, COUNT_LOAD, 4, 64, 0), 1, 32, 4);
    assert_cost(cost("sm_90", count_shared, COUNT_LOAD, 4, 64, 0), 1, 128, 4);
    assert_cost(cost("sm_90", count_shared, COUNT_LOAD, 8, 64, 0), 1, 128, 8);
    assert_cost(cost("sm_90", count_shared, COUNT_LOAD, 16, 64, 0), 2, 256, 16);
    assert_cost(cost("sm_90", count_shared, COUNT_STORE, 16, 64, 0), 4, 512, 16);
    assert_cost(cost("sm_90", count_local, COUNT_LOAD, 4, 64, 0), 4, 128, 128);
    assert_cost(cost("fermi", count_local, COUNT_LOAD, 4, 64, 0), 1, 128, 128);
    assert_cost(cost("fermi", count_local, COUNT_STORE, 16, 64, 0), 4, 512, 512);
    /* Lanes that update the same word take turns. */
    assert_cost(cost("sm_90", count_global, COUNT_ATOM, 4, 64, 0), 32, 1024, 4);
    assert_cost(cost("sm_90", count_shared, COUNT_ATOM, 4, 64, 0), 32, 4096, 4);
}

/* 16-byte shared loads go 8 lanes at a time, or 16 if lanes agree with lane ^ 1 or with lane ^ 2 throughout
 * the warp.  One pair that differs prevents this; an inactive lane does not. */
static void wide_shared_loads_share(void **state) {
    (void)state;
    const struct count_rules *rules = count_rules_find("sm_90");
    uint64_t address[32];
    struct count_access access = {.kind = COUNT_LOAD, .width = 16, .mask = ~0u, .address = address};

    for (unsigned distance = 1; distance <= 2; distance++) {
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = 16 * (lane & ~distance);
        access.mask = ~0u;
        access.width = 16;
        /* 16 lanes span 16 places of 16 bytes; every other one is read. */
        assert_int_equal(count_shared(rules, &access).transactions, 4);
        access.kind = COUNT_STORE;
        assert_int_equal(count_shared(rules, &access).transactions, 4);
        access.kind = COUNT_LOAD;

        /* The same without gaps: 8 places, 128 bytes, for 16 lanes. */
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = 16 * (distance == 1 ? lane / 2 : lane / 4 * 2 + lane % 2);
        assert_int_equal(count_shared(rules, &access).transactions, 2);
        for (unsigned lane = 0; lane < 32; lane++) {
            address[lane] += 16 * 64;
            access.mask = ~0u;
            assert_int_equal(count_shared(rules, &access).transactions, 4 + 1);
            access.mask = ~(1u << lane);
            assert_int_equal(count_shared(rules, &access).transactions, 2);
            address[lane] -= 16 * 64;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),         cmocka_unit_test(capabilities_follow_the_names),
        cmocka_unit_test(lines_and_sectors),       cmocka_unit_test(only_what_was_measured_is_proved),
        cmocka_unit_test(offset_zero_counts),      cmocka_unit_test(bytes_named_twice),
        cmocka_unit_test(texture_corners),         cmocka_unit_test(loads_past_l1),
        cmocka_unit_test(groups_of_lanes),         cmocka_unit_test(broadcasts),
        cmocka_unit_test(wide_shared_loads_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
