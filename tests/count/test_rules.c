/* The table's look-ups, and single requests whose cost the documents give. */
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
static struct count_result cost(const char *rules, count_fn *count, enum count_kind kind, unsigned width,
                                uint64_t start, uint64_t step) {
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = start + lane * step;
    struct count_access access = {.kind = kind, .width = width, .mask = 0xffffffff, .address = address};
    return count(count_rules_find(rules), &access);
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
    /* Quarter-warps that meet in a line each move it. */
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 16, 64, 16), 8, 1024, 512);
    /* An array of structures of two floats. */
    assert_cost(cost("fermi", count_global, COUNT_LOAD, 4, 0, 8), 2, 256, 128);
    assert_cost(cost("sm_90", count_global, COUNT_LOAD, 4, 0, 8), 8, 256, 128);
    assert_cost(cost("sm_90", count_global, COUNT_LOAD, 16, 0, 16), 16, 512, 512);
    /* Eight lanes at a time: aligned costs the same, misaligned twice that. */
    assert_cost(cost("pascal", count_global, COUNT_LOAD, 4, 0, 4), 4, 128, 128);
    assert_cost(cost("pascal", count_global, COUNT_LOAD, 8, 0, 8), 8, 256, 256);
    assert_cost(cost("pascal", count_global, COUNT_LOAD, 16, 0, 16), 16, 512, 512);
    assert_cost(cost("maxwell", count_global, COUNT_LOAD, 4, 44, 4), 8, 256, 128);
    assert_cost(cost("maxwell", count_global, COUNT_STORE, 4, 44, 4), 5, 160, 128);
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
    /* Lanes that update one word take turns. */
    assert_cost(cost("sm_90", count_global, COUNT_ATOM, 4, 64, 0), 32, 1024, 4);
    assert_cost(cost("sm_90", count_shared, COUNT_ATOM, 4, 64, 0), 32, 4096, 4);
}

/* 16-byte shared loads go 8 lanes at a time, or 16 where lanes agree with lane ^ 1 or with lane ^ 2 all
 * over the warp; one pair that does not undoes it, one lane that is off does not. */
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
        /* 16 lanes span 16 places of 16 bytes, of which every other is read. */
        assert_int_equal(count_shared(rules, &access).transactions, 4);
        access.kind = COUNT_STORE;
        assert_int_equal(count_shared(rules, &access).transactions, 4);
        access.kind = COUNT_LOAD;

        /* The same, closed up: 8 places, 128 bytes, for 16 lanes. */
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = 16 * (distance == 1 ? lane / 2 : lane / 4 * 2 + lane % 2);
        assert_int_equal(count_shared(rules, &access).transactions, 2);
        address[5] += 16 * 64;
        assert_int_equal(count_shared(rules, &access).transactions, 4 + 1);
        access.mask = ~(1u << 5);
        assert_int_equal(count_shared(rules, &access).transactions, 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),   cmocka_unit_test(capabilities_follow_the_names),
        cmocka_unit_test(lines_and_sectors), cmocka_unit_test(only_what_was_measured_is_proved),
        cmocka_unit_test(broadcasts),        cmocka_unit_test(wide_shared_loads_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
