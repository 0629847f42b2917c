/* Comparisons of a run with an earlier one, on the stub. */
#include "tests/bench/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/compare.h"
#include "bench/json.h"
#include "tests/bench/runs.h"

static void run(struct bench_plan *plan, const char *experiment, const char *size, bool hot) {
    struct bench_request request = {.experiments = &experiment,
                                    .experiment_count = 1,
                                    .seed = 1,
                                    .samples = 12,
                                    .seconds = 1,
                                    .hot = hot};
    (void)run_right(plan, request, size);
}

static const char *const path = "earlier.json";

static void keep(const struct bench_plan *plan) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(bench_write_json(file, plan));
    assert_int_equal(fclose(file), 0);
}

static struct bench_earlier *earlier(void) {
    struct bench_earlier *read;
    struct base_error error = {.text = ""};
    if (!bench_earlier_read(&read, path, &error))
        fail_msg("%s", error.text);
    return read;
}

/* Returns the printed text; *worse as from bench_compare(). */
static char *compared(const struct bench_plan *plan, double tolerance, size_t *worse) {
    struct bench_earlier *before = earlier();
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_true(bench_compare(file, before, plan, tolerance, false, worse));
    fclose(file);
    bench_earlier_free(before);
    return text;
}

static void times_that_stay(void **state) {
    (void)state;
    struct bench_plan plan;
    size_t worse;
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    run(&plan, "copy", "1000", false);
    keep(&plan);
    char *text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 0);
    assert_non_null(strstr(text, "1.0000"));
    assert_non_null(strstr(text, "3 of 3 rows within 2 % (100.0 %): 0 worse, 0 better\n"));
    free(text);
    bench_plan_free(&plan);
}

static void times_that_change(void **state) {
    (void)state;
    struct bench_plan plan;
    size_t worse;
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    run(&plan, "copy", "1000", false);
    keep(&plan);
    struct bench_row *row = &plan.sections[0].rows[0];
    double before = row->time_ms.median;
    row->time_ms.median = before * 1.03;
    char *text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 1);
    assert_non_null(strstr(text, "1.0300  WORSE"));
    free(text);
    text = compared(&plan, 5, &worse);
    assert_int_equal(worse, 0);
    free(text);
    row->time_ms.median = before * 0.9;
    text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 0);
    assert_non_null(strstr(text, "0.9000  better"));
    free(text);
    /* A different state of the cache is a different measurement. */
    row->l2 = BENCH_L2_HOT;
    text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 0);
    assert_non_null(strstr(text, "not compared"));
    assert_non_null(strstr(text, "2 of 2 rows"));
    free(text);
    bench_plan_free(&plan);
}

/* A row at the tolerance counts as within it, in both directions. */
static void at_the_tolerance(void **state) {
    (void)state;
    static const struct {
        double now, tolerance;
        size_t worse;
        const char *says;
    } cases[] = {
        {3, 50, 0, "3 of 3 rows within 50 %"}, {3.001, 50, 1, "1 worse, 0 better"},
        {1, 50, 0, "3 of 3 rows within 50 %"}, {0.999, 50, 0, "0 worse, 1 better"},
        {2, 0, 0, "3 of 3 rows within 0 %"},   {2.001, 0, 1, "1 worse, 0 better"},
        {1.999, 0, 0, "0 worse, 1 better"},
    };
    struct bench_plan plan;
    size_t worse;
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    run(&plan, "copy", "1000", false);
    struct bench_row *row = &plan.sections[0].rows[0];
    row->time_ms.median = 2;
    keep(&plan);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row->time_ms.median = cases[i].now;
        char *text = compared(&plan, cases[i].tolerance, &worse);
        assert_int_equal(worse, cases[i].worse);
        if (!strstr(text, cases[i].says))
            fail_msg("%g: %s", cases[i].now, text);
        free(text);
    }
    bench_plan_free(&plan);
}

static void counters_that_change(void **state) {
    (void)state;
    struct bench_plan plan;
    size_t worse;
    memset(&fake, 0, sizeof fake);
    run(&plan, "read-offset", "100", false);
    keep(&plan);
    wl_counters *counters = &plan.sections[0].rows[1].counters;
    counters->inst_executed *= 2; /* not traffic */
    char *text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 0);
    free(text);
    counters->gst_transactions -= 1;
    text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 0);
    assert_non_null(strstr(text, "gst_transactions"));
    assert_non_null(strstr(text, "better"));
    free(text);
    /* A negative count is not valid. */
    counters->gst_transactions = UINT64_MAX;
    keep(&plan);
    counters->gst_transactions = 1;
    text = compared(&plan, -1, &worse);
    assert_int_equal(worse, 0);
    assert_null(strstr(text, "gst_transactions"));
    free(text);
    /* Worse counters are reported before better ones; a change from zero to any count is worse. */
    counters->local_load_transactions += 1;
    text = compared(&plan, 50, &worse);
    assert_int_equal(worse, 1);
    assert_non_null(strstr(text, "local_load_transactions"));
    free(text);
    bench_plan_free(&plan);
}

static void rows_without_a_match(void **state) {
    (void)state;
    struct bench_plan plan;
    size_t worse;
    memset(&fake, 0, sizeof fake);
    run(&plan, "read-offset", "100", false);
    keep(&plan);
    plan.sections[0].rows[0].problem.offset = 5;
    char *text = compared(&plan, -1, &worse);
    assert_non_null(strstr(text, "1 have no match in the earlier run; 1 of the"));
    free(text);
    bench_plan_free(&plan);
}

static void refuses(const char *content, const char *says) {
    struct bench_earlier *read;
    struct base_error error = {.text = ""};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    bool right = bench_earlier_read(&read, path, &error);
    bench_earlier_free(read);
    if (right || !error.usage || !strstr(error.text, says) || !strstr(error.text, path))
        fail_msg("%s: %s", content, error.text);
}

static void bad_files(void **state) {
    (void)state;
    struct bench_earlier *read;
    struct base_error error = {.text = ""};
    assert_false(bench_earlier_read(&read, "no/such.json", &error));
    assert_non_null(strstr(error.text, "no/such.json cannot be read"));
    bench_earlier_free(read);
    assert_false(bench_earlier_read(&read, ".", &error));
    bench_earlier_free(read);
    refuses("", "cut off");
    refuses("{\"schema\": \"wideload-bench/1\",", "cut off");
    refuses("{\"schema\" 1}", "no JSON");
    refuses("[1, 2]", "not a result of");
    refuses("{\"schema\": \"other/1\"}", "schema \"other/1\"");
    refuses("{\"schema\": \"wideload-prof/1\"}", "schema \"wideload-prof/1\"");
    refuses("{\"schema\": \"wideload-bench/2\", \"device\": {}, \"rows\": []}",
            "schema \"wideload-bench/2\"");
    refuses("{\"schema\": \"wideload-bench/1\", \"device\": 5}", "no device or no rows");
    refuses("{\"schema\": \"wideload-bench/1\", \"device\": {}, \"rows\": []}", "no rows");
    /* Rows of any other form match nothing. */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"schema\": \"wideload-bench/1\", \"device\": {}, \"rows\": [5, {}, {\"experiment\": 7}, null]}",
          file);
    fclose(file);
    struct bench_plan plan;
    size_t worse;
    memset(&fake, 0, sizeof fake);
    run(&plan, "read-offset", "100", false);
    free(compared(&plan, -1, &worse));
    assert_int_equal(worse, 0);
    read = earlier();
    assert_false(bench_earlier_check(read, &plan, &error));
    assert_true(error.usage);
    assert_non_null(strstr(error.text, "ratios between devices"));
    bench_earlier_free(read);
    bench_plan_free(&plan);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_that_stay),      cmocka_unit_test(times_that_change),
        cmocka_unit_test(at_the_tolerance),     cmocka_unit_test(counters_that_change),
        cmocka_unit_test(rows_without_a_match), cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
