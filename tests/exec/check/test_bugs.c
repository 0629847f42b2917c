/* Every planted bug is found, once, at its line, and its clean twin gives no finding.
 *
 * usage: test_bugs BUGS.PTX FOLDER CLEAN.PTX COMPUTE_SANITIZER.CSV
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/check/bugs.h"
#include "tests/exec/check/findings.h"

static const char *ptx_file, *source_folder, *sanitizer_file;
static struct findings *session; /* shared by all tests, because loading the module is slow */

struct bug {
    const char *name;
    enum sim_finding_kind kind;
    unsigned grid, block;
    int n;
    size_t shared;
    unsigned flags;
};

#define ROW(name, kind, grid, block, n, shared, flags)                                                       \
    {#name, SIM_FINDING_##kind, grid, block, n, shared, flags},
static const struct bug bugs[] = {BUGS(ROW)};
static const char *const parts[] = {"memory", "async", "cluster", "race", "global", "init", "sync"};

/* A bug's marks: its file and its lines, 0 for none. */
struct marks {
    char file[64];
    uint32_t heading, at, other;
};

/* False if the bug is not in this part. */
static bool find_in(const char *part, const char *name, struct marks *marks) {
    char path[4096], line[512], start[128];
    snprintf(marks->file, sizeof marks->file, "bugs_%s.cuh", part);
    snprintf(path, sizeof path, "%s/%s", source_folder, marks->file);
    snprintf(start, sizeof start, "CASE %s(", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bool inside = false;
    marks->at = marks->other = 0;
    for (uint32_t number = 1; fgets(line, sizeof line, file); number++) {
        if (strstr(line, "PAIR("))
            inside = false;
        if (strncmp(line, start, strlen(start)) == 0) {
            inside = true;
            marks->heading = number;
        }
        const char *mark = strstr(line, "// ");
        if (!inside || !mark)
            continue;
        if (strstr(mark, "at"))
            marks->at = number;
        if (strstr(mark, "other"))
            marks->other = number;
    }
    fclose(file);
    return marks->at != 0;
}

static void find_lines(const char *name, struct marks *marks) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (find_in(parts[i], name, marks))
            return;
    fail_msg("%s is marked nowhere", name);
}

static bool launch(struct findings *f, const struct bug *bug, bool planted) {
    char kernel[128];
    snprintf(kernel, sizeof kernel, "%s_%s", planted ? "bug" : "ok", bug->name);
    int *a = findings_buffer(f, (size_t)bug->n, true);
    memset(a, 0, 4 * (size_t)bug->n);
    bool written = !(bug->flags & BUG_UNWRITTEN) || (bug->flags & BUG_TWIN_FINDS && !planted);
    int *b = findings_buffer(f, (size_t)bug->n, written);
    if (bug->flags & BUG_FREED && planted) {
        sim_check_freed(f->h.check, (uint64_t)(uintptr_t)b);
        assert_true(sim_memory_free(f->h.memory, (uint64_t)(uintptr_t)b));
    }
    return findings_launch(f, kernel, bug->grid, bug->block, bug->shared, a, b, bug->n);
}

static bool is_in(const struct sim_finding_side *side, const struct marks *marks) {
    const char *slash = side->file ? strrchr(side->file, '/') : NULL;
    return side->file && strcmp(slash ? slash + 1 : side->file, marks->file) == 0;
}

static bool marked(const struct sim_finding *finding, const struct marks *marks) {
    uint32_t lines[2] = {finding->at.line, finding->other.function ? finding->other.line : 0};
    if (!is_in(&finding->at, marks) || (finding->other.function && !is_in(&finding->other, marks)))
        return false;
    if (!marks->other)
        return lines[0] == marks->at;
    return (lines[0] == marks->at && lines[1] == marks->other) ||
           (sim_finding_check(finding->kind) == SIM_CHECK_RACE && lines[0] == marks->other &&
            lines[1] == marks->at);
}

static bool wrong(const struct bug *bug, const char *what, const struct findings *f) {
    print_error("%s: %s\n%s%s", bug->name, what, f->text, f->h.fault.text);
    return false;
}

/* The scheduler decides which of two racing accesses comes first. */
static bool is_kind(const struct sim_finding *finding, enum sim_finding_kind kind) {
    return finding->kind == kind ||
           (sim_finding_check(kind) == SIM_CHECK_RACE && sim_finding_check(finding->kind) == SIM_CHECK_RACE);
}

static bool planted_is_found(struct findings *f, const struct bug *bug, unsigned checks) {
    struct marks marks;
    find_lines(bug->name, &marks);
    bool ended = launch(f, bug, true), own = checks & sim_finding_check(bug->kind);
    if (own && ended == !!(bug->flags & BUG_ENDS))
        return wrong(bug, "the launch ended the other way", f);
    size_t found = 0;
    for (size_t i = 0; i < f->count; i++) {
        found += is_kind(&f->list[i], bug->kind) && marked(&f->list[i], &marks);
        if (f->list[i].at.line != marks.at && f->list[i].at.line != marks.other)
            return wrong(bug, "a finding elsewhere", f);
    }
    if (found != own)
        return wrong(bug, own ? "not found once" : "found without its check", f);
    /* Another check may find the same bug: data that is read too soon is also unwritten. */
    return checks != (unsigned)sim_finding_check(bug->kind) || f->count == 1 ||
           wrong(bug, "more than one finding", f);
}

static bool run(const struct bug *bug, unsigned checks) {
    findings_watch(session, checks);
    bool good = planted_is_found(session, bug, checks);
    findings_clear(session);
    if (!launch(session, bug, false) || session->count)
        good = wrong(bug, "the clean twin is not clean", session);
    return good;
}

static void found_with_all_checks(void **state) {
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
        bad += !run(&bugs[i], SIM_CHECK_ALL);
    assert_int_equal(bad, 0);
}

/* Each bug is found by its own check alone, and not without it. */
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

/* ---------------------------------------------------------------- comparison with compute-sanitizer */

/* A row of compute_sanitizer.csv: NVIDIA's finding for the same bug on an H200; at and other are line numbers
 * relative to the bug's heading. */
struct row {
    char name[64], tool[32], kind[32];
    unsigned at, other;
};

static const struct bug *find_bug(const char *name) {
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
        if (strcmp(bugs[i].name, name) == 0)
            return &bugs[i];
    return NULL;
}

/* Whether the kind corresponds to ours.  NVIDIA's tool reports freed memory as out of bounds, and a barrier
 * with a wrong number of threads as a divergent one. */
static bool same_kind(const struct row *row, const struct bug *bug) {
    static const char *const races[] = {"race", NULL}, *const bounds[] = {"out-of-bounds", NULL},
                             *const misaligned[] = {"misaligned", NULL},
                             *const unwritten[] = {"uninitialized", NULL},
                             *const parted[] = {"divergent-warp", "divergent-block", NULL},
                             *const masks[] = {"invalid-arguments", NULL},
                             *const never[] = {"hangs", "divergent-block", NULL};
    const char *const *words = sim_finding_check(bug->kind) == SIM_CHECK_RACE ? races
                               : bug->kind == SIM_FINDING_MISALIGNED          ? misaligned
                               : bug->kind == SIM_FINDING_UNINITIALIZED       ? unwritten
                               : bug->kind == SIM_FINDING_DIVERGENT_BARRIER   ? parted
                               : bug->kind == SIM_FINDING_INVALID_MASK        ? masks
                               : bug->kind == SIM_FINDING_DEADLOCK            ? never
                                                                              : bounds;
    while (*words && strcmp(*words, row->kind) != 0)
        words++;
    return *words != NULL;
}

/* The two sides of a race may be exchanged.  Line 0: the tool named none. */
static bool same_place(const struct row *row, const struct bug *bug) {
    struct marks marks;
    find_lines(bug->name, &marks);
    unsigned at = marks.at - marks.heading, other = marks.other ? marks.other - marks.heading : 0;
    if (sim_finding_check(bug->kind) == SIM_CHECK_RACE)
        return (row->at == at && row->other == other) || (row->at == other && row->other == at);
    return !row->at || row->at == at || row->at == other || bug->kind == SIM_FINDING_DEADLOCK;
}

static void agrees_with_compute_sanitizer(void **state) {
    (void)state;
    FILE *file = fopen(sanitizer_file, "r");
    assert_non_null(file);
    char line[256];
    size_t agreed = 0, bad = 0;
    while (fgets(line, sizeof line, file)) {
        struct row row = {.at = 0};
        int fields =
            sscanf(line, "%63[^,],%31[^,],%31[^,],%u,%u", row.name, row.tool, row.kind, &row.at, &row.other);
        const struct bug *bug = fields >= 3 ? find_bug(row.name) : NULL;
        if (!bug || strcmp(row.kind, "nothing") == 0)
            continue; /* the heading, errors of the host, and bugs that only we find */
        bool same = same_kind(&row, bug) && (strcmp(row.kind, "hangs") == 0 || same_place(&row, bug));
        if (!same)
            print_error("compute-sanitizer says otherwise: %s", line);
        agreed += same;
        bad += !same;
    }
    fclose(file);
    assert_int_equal(bad, 0);
    assert_true(agreed > sizeof bugs / sizeof *bugs / 2);
}

/* The same launch gives the same findings each time, for any number of worker threads. */
static void same_every_time(void **state) {
    (void)state;
    struct findings *f = malloc(sizeof *f);
    assert_non_null(f);
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        findings_watch(session, SIM_CHECK_ALL);
        launch(session, &bugs[i], true);
        *f = *session;
        findings_watch(session, SIM_CHECK_ALL);
        launch(session, &bugs[i], true);
        assert_int_equal(f->count, session->count);
        for (size_t k = 0; k < f->count; k++) {
            assert_int_equal(f->list[k].at.line, session->list[k].at.line);
            assert_int_equal(f->list[k].count, session->list[k].count);
            assert_memory_equal(f->list[k].at.thread, session->list[k].at.thread, 12);
            assert_memory_equal(f->list[k].at.block, session->list[k].at.block, 12);
            assert_memory_equal(f->list[k].other.thread, session->list[k].other.thread, 12);
            assert_memory_equal(f->list[k].other.block, session->list[k].other.block, 12);
        }
    }
    free(f);
}

static int open_session(void **state) {
    (void)state;
    session = malloc(sizeof *session);
    if (session)
        findings_open(session, ptx_file, SIM_CHECK_ALL);
    return session ? 0 : -1;
}

static int close_session(void **state) {
    (void)state;
    findings_close(session);
    free(session);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    ptx_file = argv[1];
    source_folder = argv[2];
    sanitizer_file = argv[4];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_with_all_checks),
        cmocka_unit_test(found_by_one_check),
        cmocka_unit_test(agrees_with_compute_sanitizer),
        cmocka_unit_test(same_every_time),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
