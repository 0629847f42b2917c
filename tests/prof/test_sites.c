/* The recorder's name for an access: its instruction without the words that do not change the access. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/cuda/record/profile_sites.h"

static void assert_named(const char *opcode, unsigned bytes, const char *wanted) {
    struct profile_sites sites = {0};
    struct sim_instruction_count count = {.function = "k", .opcode = opcode, .bytes = bytes};
    count.counters.global_load_requests = bytes != 0;
    profile_sites_add(&sites, &count);
    assert_false(sites.failed);
    assert_int_equal(sites.count, 1);
    assert_string_equal(sites.items[0].op, wanted);
    profile_sites_free(&sites);
}

static void test_names(void **state) {
    (void)state;
    assert_named("ld.global.f32", 4, "ld.global.f32");
    assert_named("ld.relaxed.gpu.global.L1::no_allocate.v4.f32", 16, "ld.global.v4.f32");
    assert_named("sync.cta", 4, "sync");
    assert_named("ld", 4, "ld");
    assert_named("ld.global.nc", 4, "ld.global");
    assert_named("bra.uni", 0, "branch");
    assert_named("brx.idx", 0, "branch");
    assert_named("add.f32", 0, "other");
}

/* A word that does not fit with its dot and the terminator is omitted; a shorter one after it is not. */
static void test_room(void **state) {
    (void)state;
    const size_t room = sizeof((struct profile_site *)NULL)->op;
    char word[128], opcode[256], wanted[256];
    memset(word, 'w', sizeof word);
    for (int length = 55; length < 70; length++) {
        const bool fits = strlen("ld") + 1 + (size_t)length + 1 <= room;
        snprintf(opcode, sizeof opcode, "ld.%.*s", length, word);
        assert_named(opcode, 4, fits ? opcode : "ld");
        snprintf(opcode, sizeof opcode, "ld.%.*s.s", length, word);
        const bool both = strlen("ld") + 1 + (size_t)length + 3 <= room;
        snprintf(wanted, sizeof wanted, "ld.%.*s%s", fits ? length : 0, word, both ? ".s" : "");
        assert_named(opcode, 4, fits ? wanted : "ld.s");
    }
    assert_named("ld.one.two.three.four.five.six.seven.eight.nine.ten.eleven.twelve.thirteen.v4", 4,
                 "ld.one.two.three.four.five.six.seven.eight.nine.ten.eleven.v4");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
