/* Every planted bug is found, once, at its line, and its clean twin has no finding.
 *
 * usage: test_bugs BUGS.PTX BUGS.CU CLEAN.PTX
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/check/findings.h"

static const char *ptx_file, *source_file;

/* unwritten: b is; freed: b is, in the bug's run. */
struct bug {
    const char *name;
    enum sim_finding_kind kind;
    unsigned grid, block;
    size_t shared;
    int n;
    bool unwritten, freed;
};

#define SIZE(g, b, elements) .grid = g, .block = b, .n = elements
static const struct bug bugs[] = {
    {"store_past_end", SIM_FINDING_OUT_OF_BOUNDS, SIZE(2, 64, 100)},
    {"load_before_start", SIM_FINDING_OUT_OF_BOUNDS, SIZE(2, 64, 128)},
    {"load_last_block", SIM_FINDING_OUT_OF_BOUNDS, SIZE(4, 64, 256)},
    {"misaligned_store", SIM_FINDING_MISALIGNED, SIZE(1, 32, 66)},
    {"null_store", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 32, 32)},
    {"use_after_free", SIM_FINDING_USE_AFTER_FREE, SIZE(1, 32, 32), .freed = true},
    {"vector_tail", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 64, 102)},
    {"atomic_past_end", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 64, 64)},
    {"shared_past_end", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 32, 32)},
    {"shared_dynamic_past_end", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 32, 32), .shared = 128},
    {"shared_static_to_dynamic", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 32, 32), .shared = 128},
    {"shared_misaligned", SIM_FINDING_MISALIGNED, SIZE(1, 32, 32)},
    {"local_past_end", SIM_FINDING_OUT_OF_BOUNDS, SIZE(1, 32, 32)},
    {"missing_barrier", SIM_FINDING_READ_AFTER_WRITE, SIZE(1, 128, 128)},
    {"missing_second_barrier", SIM_FINDING_WRITE_AFTER_READ, SIZE(1, 64, 256)},
    {"all_write_one", SIM_FINDING_WRITE_AFTER_WRITE, SIZE(1, 32, 32)},
    {"warps_write_one", SIM_FINDING_WRITE_AFTER_WRITE, SIZE(1, 64, 64)},
    {"missing_syncwarp", SIM_FINDING_READ_AFTER_WRITE, SIZE(1, 32, 32)},
    {"broadcast_without_barrier", SIM_FINDING_READ_AFTER_WRITE, SIZE(1, 32, 32)},
    {"named_barrier_too_small", SIM_FINDING_READ_AFTER_WRITE, SIZE(1, 128, 128)},
    {"histogram_not_cleared_in_time", SIM_FINDING_WRITE_AFTER_WRITE, SIZE(1, 128, 128)},
    {"histogram_read_too_soon", SIM_FINDING_WRITE_AFTER_READ, SIZE(1, 128, 128)},
    {"bytes_of_a_word", SIM_FINDING_READ_AFTER_WRITE, SIZE(1, 128, 128)},
    {"blocks_write_one", SIM_FINDING_WRITE_AFTER_WRITE, SIZE(4, 32, 32)},
    {"in_place_across_blocks", SIM_FINDING_WRITE_AFTER_READ, SIZE(4, 64, 256)},
    {"global_without_barrier", SIM_FINDING_READ_AFTER_WRITE, SIZE(1, 64, 64)},
    {"last_block_without_fence", SIM_FINDING_READ_AFTER_WRITE, SIZE(8, 64, 64)},
    {"reads_what_another_block_writes", SIM_FINDING_WRITE_AFTER_READ, SIZE(4, 64, 256)},
    {"unwritten_global", SIM_FINDING_UNINITIALIZED, SIZE(1, 64, 64), .unwritten = true},
    {"unwritten_last", SIM_FINDING_UNINITIALIZED, SIZE(1, 64, 64), .unwritten = true},
    {"unwritten_counter", SIM_FINDING_UNINITIALIZED, SIZE(1, 64, 64), .unwritten = true},
    {"unwritten_shared", SIM_FINDING_UNINITIALIZED, SIZE(1, 64, 64)},
    {"unwritten_local", SIM_FINDING_UNINITIALIZED, SIZE(1, 64, 64)},
    {"half_a_warp", SIM_FINDING_DIVERGENT_BARRIER, SIZE(1, 64, 64)},
    {"barrier_on_both_sides", SIM_FINDING_DIVERGENT_BARRIER, SIZE(1, 64, 64)},
    {"trip_counts_differ", SIM_FINDING_DIVERGENT_BARRIER, SIZE(1, 64, 64)},
    {"mask_without_lane", SIM_FINDING_INVALID_MASK, SIZE(1, 32, 32)},
    {"shuffle_without_lane", SIM_FINDING_INVALID_MASK, SIZE(1, 32, 32)},
    {"syncwarp_in_a_branch", SIM_FINDING_DIVERGENT_BARRIER, SIZE(1, 32, 32)},
    {"barrier_nobody_joins", SIM_FINDING_DEADLOCK, SIZE(1, 64, 64)},
    {"barrier_counts_differ", SIM_FINDING_DEADLOCK, SIZE(1, 64, 64)},
};

/* The lines of the bug's section that are marked, 0 where there is none. */
static void find_lines(const char *name, uint32_t *at, uint32_t *other) {
    FILE *file = fopen(source_file, "r");
    assert_non_null(file);
    char line[512], start[128];
    snprintf(start, sizeof start, "CASE %s(", name);
    bool inside = false;
    *at = *other = 0;
    for (uint32_t number = 1; fgets(line, sizeof line, file); number++) {
        if (strncmp(line, "PAIR(", 5) == 0)
            inside = false;
        if (strncmp(line, start, strlen(start)) == 0)
            inside = true;
        const char *mark = strstr(line, "// ");
        if (!inside || !mark)
            continue;
        if (strstr(mark, "at"))
            *at = number;
        if (strstr(mark, "other"))
            *other = number;
    }
    fclose(file);
    assert_true(*at != 0);
}

static bool launch(struct findings *f, const struct bug *bug, bool planted) {
    char kernel[128];
    snprintf(kernel, sizeof kernel, "%s_%s", planted ? "bug" : "ok", bug->name);
    /* The twins of programs that use b too early find it written. */
    bool twin_writes = strcmp(bug->name, "unwritten_global") == 0;
    int *a = findings_buffer(f, (size_t)bug->n, true);
    memset(a, 0, 4 * (size_t)bug->n);
    int *b = findings_buffer(f, (size_t)bug->n, !bug->unwritten || (twin_writes && !planted));
    if (bug->freed && planted) {
        sim_check_freed(f->h.check, (uint64_t)(uintptr_t)b);
        assert_true(sim_memory_free(f->h.memory, (uint64_t)(uintptr_t)b));
    }
    return findings_launch(f, kernel, bug->grid, bug->block, bug->shared, a, b, bug->n);
}

static bool marked(const struct sim_finding *finding, uint32_t at, uint32_t other) {
    uint32_t lines[2] = {finding->at.line, finding->other.function ? finding->other.line : 0};
    if (!other)
        return lines[0] == at;
    return (lines[0] == at && lines[1] == other) ||
           (sim_finding_check(finding->kind) == SIM_CHECK_RACE && lines[0] == other && lines[1] == at);
}

static bool wrong(const struct bug *bug, const char *what, const struct findings *f) {
    print_error("%s: %s\n%s%s", bug->name, what, f->text, f->h.fault.text);
    return false;
}

/* Which of two racing accesses comes first is the scheduler's doing. */
static bool is_kind(const struct sim_finding *finding, enum sim_finding_kind kind) {
    return finding->kind == kind ||
           (sim_finding_check(kind) == SIM_CHECK_RACE && sim_finding_check(finding->kind) == SIM_CHECK_RACE);
}

static bool planted_is_found(struct findings *f, const struct bug *bug, unsigned checks) {
    uint32_t at, other;
    find_lines(bug->name, &at, &other);
    bool ended = launch(f, bug, true), own = checks & sim_finding_check(bug->kind);
    if (own && ended == (bug->kind == SIM_FINDING_DEADLOCK))
        return wrong(bug, "the launch ended the other way", f);
    size_t found = 0;
    for (size_t i = 0; i < f->count; i++) {
        found += is_kind(&f->list[i], bug->kind) && marked(&f->list[i], at, other);
        if (f->list[i].at.line != at && f->list[i].at.line != other)
            return wrong(bug, "a finding elsewhere", f);
    }
    if (found != own)
        return wrong(bug, own ? "not found once" : "found without its check", f);
    /* Another check may see the same bug: what is read too soon is unwritten, too. */
    return checks != (unsigned)sim_finding_check(bug->kind) || f->count == 1 ||
           wrong(bug, "more than one finding", f);
}

static bool run(const struct bug *bug, unsigned checks) {
    struct findings f;
    findings_open(&f, ptx_file, checks);
    bool good = planted_is_found(&f, bug, checks);
    findings_clear(&f);
    if (!launch(&f, bug, false) || f.count)
        good = wrong(bug, "the clean twin is not clean", &f);
    findings_close(&f);
    return good;
}

static void found_with_all_checks(void **state) {
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
        bad += !run(&bugs[i], SIM_CHECK_ALL);
    assert_int_equal(bad, 0);
}

/* Each is found by its own check alone, and not without it. */
static void found_by_one_check(void **state) {
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        unsigned own = sim_finding_check(bugs[i].kind);
        bad += !run(&bugs[i], own);
        bad += !run(&bugs[i], SIM_CHECK_ALL & ~own);
    }
    assert_int_equal(bad, 0);
}

/* The same launch twice has the same findings, whatever number of threads was asked for. */
static void same_every_time(void **state) {
    (void)state;
    struct findings *f = malloc(2 * sizeof *f);
    assert_non_null(f);
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        findings_open(&f[0], ptx_file, SIM_CHECK_ALL);
        findings_open(&f[1], ptx_file, SIM_CHECK_ALL);
        launch(&f[0], &bugs[i], true);
        launch(&f[1], &bugs[i], true);
        assert_int_equal(f[0].count, f[1].count);
        for (size_t k = 0; k < f[0].count; k++) {
            assert_int_equal(f[0].list[k].at.line, f[1].list[k].at.line);
            assert_int_equal(f[0].list[k].count, f[1].list[k].count);
            assert_memory_equal(f[0].list[k].at.thread, f[1].list[k].at.thread, 12);
            assert_memory_equal(f[0].list[k].at.block, f[1].list[k].at.block, 12);
            assert_memory_equal(f[0].list[k].other.thread, f[1].list[k].other.thread, 12);
            assert_memory_equal(f[0].list[k].other.block, f[1].list[k].other.block, 12);
        }
        findings_close(&f[0]);
        findings_close(&f[1]);
    }
    free(f);
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    ptx_file = argv[1];
    source_file = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_with_all_checks),
        cmocka_unit_test(found_by_one_check),
        cmocka_unit_test(same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
