/* Correct programs give no finding; bad ones give the right threads, texts and numbers.
 *
 * usage: test_clean BUGS.PTX FOLDER CLEAN.PTX COMPUTE_SANITIZER.CSV
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/check/findings.h"

static const char *bugs_file, *clean_file;

static const struct {
    const char *name;
    unsigned grid, block;
    int n, elements;
} programs[] = {
    {"early_exit", 2, 64, 40, 64},
    {"double_buffer", 1, 64, 512, 512},
    {"same_value", 4, 64, 256, 256},
    {"same_half", 4, 64, 64, 64},
    {"volatile_reduction", 1, 128, 128, 128},
    {"flag", 1, 64, 64, 64},
    {"chain", 8, 32, 64, 64},
    {"specialised", 1, 64, 256, 256},
    {"bytes", 1, 64, 64, 64},
    {"shuffle_sum", 2, 64, 100, 128},
    {"halves", 1, 32, 32, 32},
    {"recursion", 1, 32, 32, 32},
    {"producer_consumer", 1, 128, 512, 512},
    {"tiles", 1, 128, 128, 128},
    {"warp_exchange", 1, 64, 64, 64},
    {"last_block_reduces", 8, 64, 512, 512},
    {"look_back", 8, 32, 256, 320},
    {"acquire_release", 8, 32, 64, 128},
    {"async_stages", 1, 64, 512, 512},
    {"barrier_object", 1, 64, 512, 512},
    {"bulk_copies", 1, 64, 64, 64},
    {"barrier_in_two_places", 1, 64, 64, 64},
    {"exchange", 4, 64, 256, 256},
    {"hands_over", 4, 64, 256, 256},
    {"producer_across", 2, 64, 64, 64},
    {"sums_across", 8, 64, 512, 512},
};

static void no_finding(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct findings f;
        findings_open(&f, clean_file, SIM_CHECK_ALL);
        int *a = findings_buffer(&f, (size_t)programs[i].elements, true);
        int *b = findings_buffer(&f, (size_t)programs[i].elements, true);
        bool counts = strcmp(programs[i].name, "last_block_reduces") == 0;
        if (counts)
            memset(a, 0, 4 * (size_t)programs[i].elements);
        for (int time = 0; time < 3; time++) {
            /* The flags that blocks wait for are in b itself, or after its n elements. */
            if (strcmp(programs[i].name, "chain") == 0)
                memset(b, 0, 4 * (size_t)programs[i].elements);
            else
                memset(b + programs[i].n, 0, 4 * (size_t)(programs[i].elements - programs[i].n));
            if (!findings_launch(&f, programs[i].name, programs[i].grid, programs[i].block, 0, a, b,
                                 programs[i].n))
                fail_msg("%s", f.h.fault.text);
            if (f.count)
                fail_msg("%s", f.text);
        }
        findings_close(&f);
    }
}

/* Lanes that are out of bounds are skipped, and the others continue; skipped loads give 0. */
static void goes_on(void **state) {
    (void)state;
    struct findings f;
    findings_open(&f, bugs_file, SIM_CHECK_MEMORY);
    int *a = findings_buffer(&f, 100, true), *b = findings_buffer(&f, 100, true);
    assert_true(findings_launch(&f, "bug_store_past_end", 2, 64, 0, a, b, 100));
    for (int i = 0; i < 100; i++)
        assert_int_equal(a[i], 1);
    assert_int_equal(f.count, 1);
    const struct sim_finding *found = &f.list[0];
    assert_string_equal(found->kernel, "bug_store_past_end");
    assert_int_equal(found->count, 1);
    assert_int_equal(found->at.block[0], 1);
    assert_int_equal(found->at.thread[0], 36);
    assert_true(found->address == (uint64_t)(uintptr_t)(a + 100));
    assert_non_null(strstr(found->text, "4-byte global store"));
    assert_non_null(strstr(found->text, "1 byte after allocation #1 ("));
    findings_clear(&f);
    memset(a, 0xff, 400);
    assert_true(findings_launch(&f, "bug_load_last_block", 2, 50, 0, a, b, 100));
    for (int i = 0; i < 100; i++)
        assert_int_equal(a[i], i < 93 ? b[i + 7] : 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].count, 7);
    findings_close(&f);
}

static void names_freed_memory(void **state) {
    (void)state;
    struct findings f;
    findings_open(&f, bugs_file, SIM_CHECK_MEMORY);
    int *a = findings_buffer(&f, 32, true), *b = findings_buffer(&f, 32, true);
    assert_true(sim_memory_free(f.h.memory, (uint64_t)(uintptr_t)b));
    assert_true(findings_launch(&f, "bug_use_after_free", 1, 32, 0, a, b, 32));
    assert_int_equal(f.count, 1);
    assert_non_null(strstr(f.list[0].text, "byte 0 of freed allocation #2"));
    assert_int_equal(f.list[0].count, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(a[i], 0);
    findings_close(&f);
}

static void names_both_threads(void **state) {
    (void)state;
    struct findings f;
    findings_open(&f, bugs_file, SIM_CHECK_RACE);
    int *a = findings_buffer(&f, 256, true), *b = findings_buffer(&f, 256, true);
    assert_true(findings_launch(&f, "bug_blocks_write_one", 4, 32, 0, a, b, 256));
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].other.block[0], 0);
    assert_int_equal(f.list[0].at.block[0], 1);
    findings_clear(&f);
    assert_true(findings_launch(&f, "bug_missing_barrier", 1, 128, 0, a, b, 256));
    assert_int_equal(f.count, 1);
    /* Warp 2 writes data that warp 1 has read. */
    assert_int_equal(f.list[0].kind, SIM_FINDING_WRITE_AFTER_READ);
    assert_int_equal(f.list[0].at.thread[0], 64);
    assert_int_equal(f.list[0].other.thread[0], 63);
    assert_int_equal(f.list[0].address, 4 * 64);
    findings_close(&f);
}

/* Copies between buffers preserve unwritten bytes, and a copy to the host reports them. */
static void copies(void **state) {
    (void)state;
    struct findings f;
    findings_open(&f, bugs_file, SIM_CHECK_INIT);
    int *a = findings_buffer(&f, 64, false), *b = findings_buffer(&f, 64, false);
    uint64_t to = (uint64_t)(uintptr_t)a, from = (uint64_t)(uintptr_t)b;
    sim_check_written(f.h.check, from, 128);
    sim_check_copied(f.h.check, to + 64, from, 192);
    sim_check_fetched(f.h.check, "copy", to + 64, 128);
    assert_int_equal(f.count, 0);
    sim_check_fetched(f.h.check, "copy", to + 64, 129);
    sim_check_fetched(f.h.check, "copy", to + 63, 8);
    assert_int_equal(f.count, 2);
    assert_true(f.list[0].address == to + 192 && f.list[1].address == to + 63);
    assert_null(f.list[0].kernel);
    /* Overwriting written bytes with unwritten ones makes them unwritten. */
    sim_check_written(f.h.check, to, 256);
    sim_check_copied(f.h.check, to, from + 100, 100);
    findings_clear(&f);
    sim_check_fetched(f.h.check, "copy", to + 100, 156);
    assert_int_equal(f.count, 0);
    sim_check_fetched(f.h.check, "copy", to, 256);
    assert_int_equal(f.count, 1);
    assert_true(f.list[0].address == to + 28);
    findings_close(&f);
}

/* Padding may be copied, in kernels and to the host.  Other unwritten bytes are found there, by address. */
static void padding(void **state) {
    (void)state;
    static const char *const copies[] = {"padded_copy", "padded_words", "padded_exchange"};
    struct findings f;
    findings_open(&f, clean_file, SIM_CHECK_INIT);
    int *b = findings_buffer(&f, 64, false), *all = findings_buffer(&f, 64, false);
    uint64_t from = (uint64_t)(uintptr_t)b;
    assert_true(findings_launch(&f, "padded_fill", 1, 32, 0, all, b, 15));
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        int *a = findings_buffer(&f, 64, false);
        assert_true(findings_launch(&f, copies[i], 1, 32, 0, a, b, 15));
        sim_check_fetched(f.h.check, "copy", (uint64_t)(uintptr_t)a, 240);
        if (f.count)
            fail_msg("%s: %s", copies[i], f.text);
    }
    sim_check_fetched(f.h.check, "copy", from, 240);
    sim_check_copied(f.h.check, (uint64_t)(uintptr_t)all, from, 256);
    sim_check_fetched(f.h.check, "copy", (uint64_t)(uintptr_t)all, 240);
    assert_int_equal(f.count, 0);
    /* The last structure; a range that begins with padding; bytes that would be padding of wider members. */
    sim_check_fetched(f.h.check, "copy", from, 241);
    sim_check_fetched(f.h.check, "copy", from + 1, 15);
    sim_check_fetched(f.h.check, "copy", (uint64_t)(uintptr_t)all, 256);
    assert_int_equal(f.count, 3);
    assert_true(f.list[0].address == from + 240);
    assert_true(f.list[1].address == from + 1);
    assert_non_null(strstr(f.list[0].text, "byte 240 of allocation #1 "));
    findings_close(&f);

    findings_open(&f, bugs_file, SIM_CHECK_INIT);
    int *a = findings_buffer(&f, 64, true);
    b = findings_buffer(&f, 64, false);
    assert_true(findings_launch(&f, "bug_unwritten_half_of_a_word", 1, 64, 0, a, b, 64));
    assert_int_equal(f.count, 1);
    assert_true(f.list[0].address == (uint64_t)(uintptr_t)b + 2);
    assert_non_null(strstr(f.list[0].text, ": byte 2 of allocation #2 "));
    findings_close(&f);
}

/* Kernels in one session see the writes of earlier ones. */
static void across_launches(void **state) {
    (void)state;
    struct findings f;
    findings_open(&f, bugs_file, SIM_CHECK_INIT);
    int *a = findings_buffer(&f, 64, false), *b = findings_buffer(&f, 64, true),
        *c = findings_buffer(&f, 64, true);
    assert_true(findings_launch(&f, "ok_unwritten_global", 1, 32, 0, a, b, 64));
    assert_int_equal(f.count, 0);
    assert_true(findings_launch(&f, "ok_unwritten_global", 1, 32, 0, c, a, 64));
    assert_int_equal(f.count, 0);
    assert_true(findings_launch(&f, "ok_unwritten_global", 1, 64, 0, c, a, 64));
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].at.thread[0], 32);
    findings_close(&f);
}

/* An allocation in place of a freed one is unwritten again. */
static void reused_memory(void **state) {
    (void)state;
    struct findings f;
    findings_open(&f, bugs_file, SIM_CHECK_INIT);
    int *c = findings_buffer(&f, 64, true);
    for (int i = 0; i < 3000; i++) {
        int *b = findings_buffer(&f, 64, true);
        sim_check_freed(f.h.check, (uint64_t)(uintptr_t)b);
        assert_true(sim_memory_free(f.h.memory, (uint64_t)(uintptr_t)b));
    }
    int *b = findings_buffer(&f, 64, false);
    assert_true(findings_launch(&f, "bug_unwritten_global", 1, 64, 0, c, b, 64));
    assert_int_equal(f.count, 1);
    findings_close(&f);
}

static void names_of_checks(void **state) {
    (void)state;
    unsigned checks;
    char bad[8];
    assert_true(sim_check_parse("memory,race,init,sync,leak", &checks, bad, sizeof bad));
    assert_int_equal(checks, SIM_CHECK_ALL);
    assert_true(sim_check_parse(" race, ,race", &checks, bad, sizeof bad));
    assert_int_equal(checks, SIM_CHECK_RACE);
    assert_true(sim_check_parse("", &checks, bad, sizeof bad));
    assert_int_equal(checks, 0);
    assert_false(sim_check_parse("memory,racecheckcheck", &checks, bad, sizeof bad));
    assert_string_equal(bad, "raceche");
    assert_false(sim_check_parse("mem", &checks, bad, sizeof bad));
    assert_string_equal(bad, "mem");
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    bugs_file = argv[1];
    clean_file = argv[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_finding),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(names_freed_memory),
        cmocka_unit_test(names_both_threads),
        cmocka_unit_test(copies),
        cmocka_unit_test(padding),
        cmocka_unit_test(across_launches),
        cmocka_unit_test(reused_memory),
        cmocka_unit_test(names_of_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
