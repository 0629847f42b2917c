/* The reader of records: complete ones, truncated ones, and arbitrary bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/rows.h"
#include "prof/waste.h"

#define PROCESS(pid)                                                                                         \
    "{\"process\":{\"pid\":" #pid ",\"parent\":1,\"program\":\"/p\",\"arch\":\"sm_90\",\"proved\":true}}\n"
#define LINE                                                                                                 \
    "{\"file\":\"/a.cu\",\"line\":3,\"column\":5,\"op\":\"ld.global.f32\",\"bytes\":4,\"stride\":8,"         \
    "\"counters\":{\"global_load_requests\":1,\"gld_transactions\":8,\"gld_useful_bytes\":128,"              \
    "\"gld_moved_bytes\":256,\"inst_executed\":1,\"thread_inst_executed\":32}}"
#define LAUNCH(pid, number, kernel)                                                                          \
    "{\"launch\":{\"pid\":" #pid ",\"number\":" #number ",\"kernel\":\"" kernel                              \
    "\",\"grid\":[1,2,3],\"block\":[32,1,1],\"shared_bytes\":64,\"arch\":\"sm_90\",\"proved\":true,"         \
    "\"counters\":{\"global_load_requests\":1,\"gld_transactions\":8,\"gld_useful_bytes\":128,"              \
    "\"gld_moved_bytes\":256,\"inst_executed\":4,\"thread_inst_executed\":128},\"lines\":[" LINE "]}}\n"
#define SAME(pid, number, same) "{\"launch\":{\"pid\":" #pid ",\"number\":" #number ",\"same\":" #same "}}\n"

static void read_text(const char *text, size_t size, struct prof_recording *out) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    struct base_error error;
    assert_true(prof_recording_read(file, out, &error));
    fclose(file);
}

static void test_whole(void **state) {
    (void)state;
    static const char text[] =
        PROCESS(7) LAUNCH(7, 1, "a") SAME(7, 2, 1) PROCESS(8) LAUNCH(8, 1, "b") LAUNCH(7, 3, "b") SAME(
            7, 4, 3) "{\"error\":{\"pid\":7,\"text\":\"once\"}}\n{\"error\":{\"pid\":8,\"text\":\"once\"}}\n"
                     "{\"checks\":[\"memory\"]}\n"
                     "{\"finding\":{\"kind\":\"k\",\"kernel\":null,\"file\":null,\"text\":\"t\"}}\n"
                     "{\"of another version\":1}\n";
    struct prof_recording r;
    read_text(text, sizeof text - 1, &r);
    assert_int_equal(r.launch_count, 5);
    assert_int_equal(r.detail_count, 3);
    assert_ptr_equal(r.launches[0].detail, r.launches[1].detail);
    assert_ptr_equal(r.launches[3].detail, r.launches[4].detail);
    assert_int_equal(r.process_count, 2);
    assert_int_equal(r.message_count, 1);
    assert_int_equal(r.finding_count, 1);
    assert_true(r.has_checks);
    assert_int_equal(r.damaged, 0);
    assert_int_equal(r.missing, 0);
    const struct prof_detail *d = r.launches[0].detail;
    assert_int_equal(d->grid[2], 3);
    assert_int_equal(d->shared_bytes, 64);
    assert_int_equal(d->lines[0].stride, 8);
    assert_int_equal(d->lines[0].sums.c.gld_transactions, 8);
    prof_recording_free(&r);
}

#define PLACE(file, line)                                                                                    \
    "\"function\":\"k\",\"file\":\"" file "\",\"line\":" #line                                               \
    ",\"ptx_line\":7,\"block\":[0,0,0],\"thread\":[0,0,0]"
#define FINDING(check, kind, times, text, kernel, place, other)                                              \
    "{\"finding\":{\"check\":\"" check "\",\"kind\":\"" kind "\",\"count\":" #times ",\"text\":\"" text      \
    "\",\"kernel\":\"" kernel "\"," place ",\"other\":{" other "}}}\n"
#define HOST(text)                                                                                           \
    "{\"finding\":{\"check\":\"memory\",\"kind\":\"leak\",\"count\":1,\"text\":\"" text "\"}}\n"

/* Findings of several launches are one bug if kind and places are the same: with the first one's text, and
 * summed counts. */
static void test_bugs(void **state) {
    (void)state;
    static const char text[] =
        HOST("#1 leaks") FINDING("race", "write-after-read", 3, "a", "k", PLACE("a", 1), PLACE("a", 2))
            FINDING("race", "read-after-write", 4, "b", "k", PLACE("a", 2), PLACE("a", 1)) HOST("#2 leaks")
                FINDING("race", "write-after-read", 1, "c", "l", PLACE("a", 1), PLACE("a", 2))
                    FINDING("race", "write-after-read", 1, "d", "k", PLACE("a", 1), PLACE("a", 3))
                        FINDING("memory", "misaligned", 1, "e", "k", PLACE("a", 1), "")
                            FINDING("memory", "out-of-bounds", 1, "f", "k", PLACE("a", 1), "")
                                FINDING("memory", "misaligned", 5, "g", "k", PLACE("a", 1), "")
                                    FINDING("memory", "misaligned", 5, "h", "k", PLACE("b", 1), "")
                                        HOST("#1 leaks");
    static const struct {
        const char *text;
        unsigned times, launches;
    } bugs[] = {{"#1 leaks", 2, 0}, {"a", 8, 3}, {"#2 leaks", 1, 0}, {"d", 1, 1},
                {"e", 6, 2},        {"f", 1, 1}, {"h", 5, 1}};
    struct prof_recording r;
    read_text(text, sizeof text - 1, &r);
    assert_int_equal(r.damaged, 0);
    assert_int_equal(r.finding_count, sizeof bugs / sizeof *bugs);
    for (size_t i = 0; i < r.finding_count; i++) {
        assert_string_equal(r.findings[i].what.text, bugs[i].text);
        assert_int_equal(r.findings[i].times, bugs[i].times);
        assert_int_equal(r.findings[i].launches, bugs[i].launches);
    }
    prof_recording_free(&r);
}

/* Without source lines, PTX lines distinguish bugs, separately for each kernel. */
static void test_bugs_of_the_ptx(void **state) {
    (void)state;
#define IN_PTX(kernel, line)                                                                                 \
    "{\"finding\":{\"kind\":\"misaligned\",\"text\":\"t\",\"kernel\":\"" kernel                              \
    "\",\"line\":0,\"ptx_line\":" #line "}}\n"
    static const char text[] = IN_PTX("k", 7) IN_PTX("k", 8) IN_PTX("l", 7) IN_PTX("k", 7);
    struct prof_recording r;
    read_text(text, sizeof text - 1, &r);
    assert_int_equal(r.finding_count, 3);
    assert_int_equal(r.findings[0].launches, 2);
    prof_recording_free(&r);
}

/* Wherever a file is truncated, the records before that are read. */
static void test_torn(void **state) {
    (void)state;
    static const char text[] = PROCESS(7) LAUNCH(7, 1, "a") LAUNCH(7, 2, "b");
    size_t first = sizeof PROCESS(7) - 1, second = first + sizeof LAUNCH(7, 1, "a") - 1;
    for (size_t size = 0; size < sizeof text; size++) {
        struct prof_recording r;
        read_text(text, size, &r);
        /* The last newline may be missing. */
        size_t whole = size >= sizeof text - 2 ? 2 : size >= second - 1 ? 1 : 0;
        assert_int_equal(r.launch_count, whole);
        bool torn =
            size && size != first - 1 && size != first && size != second - 1 && size != second && whole < 2;
        assert_int_equal(r.damaged, torn);
        prof_recording_free(&r);
    }
}

/* The account's numbers, whatever else is in the file. */
static void test_account(void **state) {
    (void)state;
    static const char lines[] = PROCESS(7) LAUNCH(7, 1, "a");
    static union {
        struct records_account account;
        char bytes[sizeof(struct records_account) + sizeof lines];
    } file;
    memcpy(file.bytes + sizeof file.account, lines, sizeof lines);
    file.account = (struct records_account){.magic = RECORDS_MAGIC, .written = 2, .begun = 1, .ended = 1};
    struct prof_recording r;
    read_text(file.bytes, RECORDS_ACCOUNT + sizeof lines - 1, &r);
    assert_true(r.has_account);
    assert_int_equal(r.launch_count, 1);
    assert_int_equal(r.in_flight + r.lost + r.absent + r.damaged + r.in_flight_names, 0);
    prof_recording_free(&r);

    file.account.written = 4;
    file.account.lost = 3;
    file.account.error = 28;
    file.account.begun = 12;
    file.account.slots[2] = (struct records_slot){.pid = 7, .kernel = "_Z1kv"};
    memset(file.account.slots[3].kernel, 0xff, sizeof file.account.slots[3].kernel);
    file.account.slots[3].pid = 8;
    read_text(file.bytes, RECORDS_ACCOUNT + sizeof lines - 1, &r);
    assert_int_equal(r.absent, 2);
    assert_int_equal(r.lost, 3);
    assert_int_equal(r.lost_error, 28);
    assert_int_equal(r.in_flight, 11);
    assert_int_equal(r.in_flight_names, 2);
    assert_string_equal(r.in_flight_name[0], "_Z1kv");
    assert_int_equal(strlen(r.in_flight_name[1]), 1000);
    assert_int_equal(r.in_flight_name[1][999], '?');
    prof_recording_free(&r);

    /* A truncated account is ignored. */
    read_text(file.bytes, sizeof file.account - 1, &r);
    assert_false(r.has_account);
    assert_int_equal(r.damaged, 1);
    prof_recording_free(&r);
}

static void test_damaged(void **state) {
    (void)state;
    static const char *const lines[] = {
        "\n",
        "null\n",
        "[]\n",
        "{}\n",
        "{\"launch\":1}\n",
        "{\"launch\":{}}\n",
        "{\"process\":{}}\n",
        "{\"launch\":{\"pid\":7,\"number\":1,\"same\":1}}\n",
        "{\"launch\":{\"pid\":9,\"number\":1}}\n",
        "{\"launch\":{\"pid\":7,\"number\":-1}}\n",
        "{\"error\":{}}\n",
        "{\"finding\":{\"kind\":1}}\n",
        "\xff\xfe\n",
        "{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1],\"block\":[1,1,1],\"arch\":"
        "\"a\","
        "\"counters\":{},\"lines\":[]}}\n",
        "{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1,-1],\"block\":[1,1,1],\"arch\":"
        "\"a\","
        "\"counters\":{},\"lines\":[]}}\n",
        "{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"arch\":"
        "\"a\","
        "\"counters\":{},\"lines\":[{\"op\":3}]}}\n",
        "{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"arch\":"
        "\"a\","
        "\"counters\":{\"inst_executed\":\"x\"},\"lines\":[]}}\n",
        "{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"arch\":"
        "\"a\","
        "\"counters\":{\"inst_executed\":9007199254740993},\"lines\":[]}}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[4096];
        /* Records after it are read. */
        snprintf(text, sizeof text, "%s%s%s", PROCESS(7), lines[i], LAUNCH(7, 2, "a"));
        struct prof_recording r;
        read_text(text, strlen(text), &r);
        assert_int_equal(r.damaged, 1);
        assert_int_equal(r.launch_count, 1);
        assert_int_equal(r.missing, 1);
        prof_recording_free(&r);
    }
}

/* Contradictory figures: they are summed and compared nevertheless. */
static void test_contradictory(void **state) {
    (void)state;
    static const char *const counters[] = {
        "\"global_load_requests\":1,\"gld_transactions\":8,\"gld_useful_bytes\":128",
        ("\"global_load_requests\":9007199254740992,\"gld_transactions\":9007199254740992,"
         "\"gld_moved_bytes\":1,\"gld_useful_bytes\":9007199254740992"),
        "\"shared_load_requests\":5,\"shared_load_transactions\":1,\"shared_useful_bytes\":9007199254740992",
        "\"thread_inst_executed\":9007199254740992,\"global_atomic_requests\":1",
    };
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 "%s{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],"
                 "\"arch\":\"a\",\"counters\":{%s},\"lines\":[{\"op\":\"ld.global.f32\",\"bytes\":256,"
                 "\"counters\":{%s}}]}}\n",
                 PROCESS(7), counters[i], counters[i]);
        struct prof_recording r;
        read_text(text, strlen(text), &r);
        assert_int_equal(r.launch_count, 1);
        const struct prof_line *line = &r.details[0]->lines[0];
        double waste = prof_line_waste(line), all = prof_line_transactions(line);
        assert_true(waste >= 0 && waste <= all);
        assert_true(line->sums.shared_load_conflicts <= line->sums.c.shared_load_transactions);
        prof_recording_free(&r);
    }
}

static void make(const char *text, const struct prof_selection *selection, struct prof_recording *recording,
                 struct prof_rows *rows) {
    struct base_error error;
    read_text(text, strlen(text), recording);
    assert_true(prof_rows_make(recording, selection, rows, &error));
}

static void test_rows(void **state) {
    (void)state;
    static const char text[] =
        PROCESS(7) LAUNCH(7, 1, "b") LAUNCH(7, 2, "a") SAME(7, 3, 1) LAUNCH(7, 4, "a") SAME(7, 5, 2);
    struct prof_recording recording;
    struct prof_rows rows;
    struct prof_selection all = {.count = UINT64_MAX};
    make(text, &all, &recording, &rows);
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.items[0].first->name, "b"); /* in the order of their first launches */
    assert_int_equal(rows.items[0].launch_count, 2);
    assert_int_equal(rows.items[1].launch_count, 3);
    assert_int_equal(rows.items[1].sums.c.gld_transactions, 24);
    assert_int_equal(rows.items[1].sums.c.launches, 3);
    assert_int_equal(rows.items[1].line_count, 1);
    assert_int_equal(rows.items[1].lines[0].sums.c.gld_transactions, 24);
    assert_ptr_equal(rows.worst, &rows.items[1]);
    prof_rows_free(&rows);
    prof_recording_free(&recording);

    regex_t expression;
    assert_int_equal(regcomp(&expression, "^a$", REG_EXTENDED | REG_NOSUB), 0);
    struct prof_selection some = {.kernel = &expression, .skip = 1, .count = 1, .each = true};
    make(text, &some, &recording, &rows);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.items[0].launches[0]->number, 4);
    prof_rows_free(&rows);
    prof_recording_free(&recording);
    regfree(&expression);
}

/* Templates that differ only in their parameters are distinguished. */
static void test_namesakes(void **state) {
    (void)state;
    static const char text[] =
        PROCESS(7) LAUNCH(7, 1, "_Z1fIiEvi") LAUNCH(7, 2, "_Z1fIiEvf") LAUNCH(7, 3, "g");
    struct prof_recording recording;
    struct prof_rows rows;
    struct prof_selection all = {.count = UINT64_MAX};
    make(text, &all, &recording, &rows);
    assert_int_equal(rows.count, 3);
    if (strncmp(rows.items[0].first->name, "_Z", 2) != 0) { /* there is a C++ runtime */
        assert_string_equal(rows.items[0].label, "f<..>(int)");
        assert_string_equal(rows.items[1].label, "f<..>(float)");
    }
    assert_string_equal(rows.items[2].label, "g");
    prof_rows_free(&rows);
    prof_recording_free(&recording);
}

/* A distance whose size no integer has is none. */
static void test_stride(void **state) {
    (void)state;
    static const char text[] = PROCESS(
        7) "{\"launch\":{\"pid\":7,\"number\":1,\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[32,1,1],"
           "\"arch\":\"sm_90\",\"counters\":{},\"lines\":[{\"op\":\"a\",\"stride\":-9223372036854775808,"
           "\"counters\":{}},{\"op\":\"b\",\"stride\":-9223372036854775807,\"counters\":{}}]}}\n";
    struct prof_recording r;
    read_text(text, sizeof text - 1, &r);
    assert_int_equal(r.launch_count, 1);
    assert_false(r.details[0]->lines[0].has_stride);
    assert_true(r.details[0]->lines[1].has_stride);
    assert_int_equal(r.details[0]->lines[1].stride, -INT64_MAX);
    prof_recording_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),           cmocka_unit_test(test_bugs),
        cmocka_unit_test(test_bugs_of_the_ptx), cmocka_unit_test(test_torn),
        cmocka_unit_test(test_account),         cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_contradictory),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_namesakes),       cmocka_unit_test(test_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
