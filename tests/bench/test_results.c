/* Whole runs on the stub, and their written results. */
#include "tests/bench/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "bench/json.h"
#include "bench/table.h"
#include "tests/bench/runs.h"

struct whole {
    struct bench_plan plan;
    struct bench_result result;
};

static struct whole run(const char *const *experiments, size_t count, const char *size) {
    struct bench_request request = {
        .experiments = experiments, .experiment_count = count, .seed = 1, .samples = 12, .seconds = 1};
    struct whole whole;
    whole.result = run_right(&whole.plan, request, size);
    return whole;
}

static json_t *document(const struct bench_plan *plan) {
    json_error_t error;
    char *text = written(bench_write_json, plan);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s at line %d", error.text, error.line);
    free(text);
    return root;
}

static json_t *row(json_t *root, size_t i) {
    return json_array_get(json_object_get(root, "rows"), i);
}

static void json_of_the_simulator(void **state) {
    (void)state;
    static const char *const names[] = {"read-offset", "transpose"};
    memset(&fake, 0, sizeof fake);
    struct whole whole = run(names, 2, "100");
    assert_int_equal(whole.result.verified, 6);
    json_t *root = document(&whole.plan);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "wideload-bench/1");
    json_t *device = json_object_get(root, "device");
    assert_string_equal(json_string_value(json_object_get(device, "kind")), "sim");
    assert_true(json_is_null(json_object_get(device, "peak_gbps")));
    json_t *first = row(root, 1);
    json_t *params = json_object_get(first, "params");
    assert_int_equal(json_integer_value(json_object_get(params, "size")), 100);
    assert_int_equal(json_integer_value(json_object_get(params, "offset")), 11);
    assert_int_equal(json_integer_value(json_object_get(params, "block")), 512);
    assert_true(json_is_null(json_object_get(params, "stride")));
    assert_true(json_is_true(json_object_get(first, "verified")));
    assert_true(json_is_null(json_object_get(first, "time_ms")));
    assert_true(json_is_null(json_object_get(first, "gbps")));
    json_t *counters = json_object_get(first, "counters");
    assert_int_equal(json_integer_value(json_object_get(counters, "gld_transactions")), 50);
    assert_true(json_real_value(json_object_get(counters, "gld_efficiency")) == 80);
    assert_true(json_real_value(json_object_get(counters, "gst_efficiency")) == 100);
    assert_true(json_real_value(json_object_get(counters, "gld_transactions_per_request")) == 5);
    assert_true(json_is_null(json_object_get(counters, "shared_efficiency")));
    assert_int_equal(json_integer_value(json_object_get(counters, "launches")), 1);
    params = json_object_get(row(root, 3), "params");
    assert_string_equal(json_string_value(json_object_get(params, "size")), "100x100");
    assert_string_equal(json_string_value(json_object_get(params, "block")), "16x16");
    json_decref(root);
    bench_plan_free(&whole.plan);
}

static void json_of_a_gpu(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "matmul"};
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    struct whole whole = run(names, 1, "1000");
    json_t *root = document(&whole.plan);
    json_t *first = row(root, 0);
    json_t *time = json_object_get(first, "time_ms");
    assert_true(json_real_value(json_object_get(time, "median")) == 0.5);
    assert_int_equal(json_integer_value(json_object_get(time, "n")), 12);
    assert_string_equal(json_string_value(json_object_get(time, "stop")), "count");
    /* 8000 bytes in 0.5 ms. */
    assert_true(fabs(json_real_value(json_object_get(first, "gbps")) - 0.016) < 1e-9);
    assert_true(fabs(json_real_value(json_object_get(first, "pct_peak")) - 0.0016) < 1e-9);
    assert_true(json_real_value(json_object_get(first, "pct_copy")) == 100);
    assert_true(json_is_true(json_object_get(first, "fits_l2")));
    assert_true(json_is_null(json_object_get(first, "counters")));
    json_decref(root);
    bench_plan_free(&whole.plan);
    /* Without the copy experiment, its figure comes from a copy of the same number of bytes. */
    whole = run(&names[1], 1, "50");
    const struct bench_row *matmul = &whole.plan.sections[0].rows[0];
    assert_true(fabs(matmul->pct_copy - 100) < 1);
    assert_true(fabs(matmul->gops - 2 * 50 * 50 * 50 / 0.5e-3 * 1e-9) < 1e-9);
    bench_plan_free(&whole.plan);
}

static size_t times_in(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

/* Arrays that fit the cache are compared with a copy of nearly as many bytes.  All launches take equally
 * long, so bandwidth is proportional to the size. */
static void copies_of_nearly_the_same_size(void **state) {
    (void)state;
    static const char *const names[] = {"add"};
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    struct whole whole = run(names, 1, "100000,130000,150000,154000,156000");
    assert_int_equal(whole.plan.section_count, 5);
    for (size_t s = 0; s < 5; s++)
        for (size_t i = 0; i < whole.plan.sections[s].row_count; i++)
            assert_true(fabs(whole.plan.sections[s].rows[i].pct_copy - 100) < 3);
    bench_plan_free(&whole.plan);
}

static void several_sizes(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "add"};
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    struct whole whole = run(names, 2, "1000,100000,0,1");
    assert_int_equal(whole.plan.section_count, 8);
    json_t *root = document(&whole.plan);
    static const json_int_t sizes[] = {1000, 100000, 0, 1};
    size_t at = 0;
    for (size_t s = 0; s < 8; s++)
        for (size_t i = 0; i < whole.plan.sections[s].row_count; i++) {
            const struct bench_row *row_there = &whole.plan.sections[s].rows[i];
            json_t *params = json_object_get(row(root, at), "params");
            assert_int_equal(json_integer_value(json_object_get(params, "size")), sizes[s % 4]);
            assert_true(json_is_null(json_object_get(params, "unroll")));
            /* All launches take equally long, so only a copy of the same size has the same bandwidth. */
            if (sizes[s % 4])
                assert_true(fabs(row_there->pct_copy - 100) < 1e-6);
            at++;
        }
    assert_int_equal(json_array_size(json_object_get(root, "rows")), at);
    json_decref(root);
    /* The question appears once, and a caption for each size. */
    for (size_t s = 0; s < 2; s++) {
        char *text;
        size_t length;
        FILE *file = open_memstream(&text, &length);
        assert_non_null(file);
        assert_true(bench_table_section(file, &whole.plan, &whole.plan.sections[s], false));
        fclose(file);
        assert_int_equal(times_in(text, "copy: How fast"), s == 0);
        assert_int_equal(times_in(text, s ? "\nsize 100000, CUDA driver " : "\nsize 1000, CUDA driver "), 1);
        free(text);
    }
    char *markdown = written(bench_write_markdown, &whole.plan);
    assert_int_equal(times_in(markdown, "### copy\n"), 1);
    assert_int_equal(times_in(markdown, "\nsize 100000"), 2);
    free(markdown);
    bench_plan_free(&whole.plan);
}

static void failed_rows(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "add"};
    for (int gpu = 0; gpu < 2; gpu++) {
        memset(&fake, 0, sizeof fake);
        fake.gpu = gpu;
        fake.fault = FAKE_ONE_WRONG;
        struct whole whole = run(names, 2, "1000");
        assert_int_equal(whole.result.failed, 4);
        json_t *root = document(&whole.plan);
        json_t *first = row(root, 0);
        assert_true(json_is_false(json_object_get(first, "verified")));
        assert_non_null(strstr(json_string_value(json_object_get(first, "error")), "out0[3]"));
        assert_true(json_is_null(json_object_get(first, "time_ms")));
        assert_true(json_is_null(json_object_get(first, "counters")));
        json_decref(root);
        bench_plan_free(&whole.plan);
    }
}

static void a_fault_stops_the_run(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "add"};
    memset(&fake, 0, sizeof fake);
    fake.fault = FAKE_KERNEL_FAULT;
    struct whole whole = run(names, 2, "1000");
    assert_true(whole.result.broken);
    assert_int_equal(whole.result.failed, 1);
    assert_int_equal(whole.result.pending, 3);
    json_t *root = document(&whole.plan);
    assert_int_equal(json_array_size(json_object_get(root, "rows")), 4);
    assert_true(json_is_null(json_object_get(row(root, 3), "verified")));
    assert_true(json_is_string(json_object_get(row(root, 3), "skipped")));
    json_decref(root);
    bench_plan_free(&whole.plan);
}

/* Fields of a line without quoted commas. */
static unsigned fields(const char *line, size_t length) {
    unsigned count = 1;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        quoted ^= line[i] == '"';
        count += line[i] == ',' && !quoted;
    }
    return count;
}

static void csv(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "matmul", "csr-transpose"};
    for (int fault = FAKE_RIGHT; fault <= FAKE_ONE_WRONG; fault += FAKE_ONE_WRONG) {
        memset(&fake, 0, sizeof fake);
        fake.fault = (enum fake_fault)fault;
        struct whole whole = run(names, 3, "64");
        char *text = written(bench_write_csv, &whole.plan);
        unsigned lines = 0, columns = fields(text, strcspn(text, "\n"));
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            assert_int_equal(fields(line, strcspn(line, "\n")), columns);
            lines++;
        }
        assert_int_equal(lines, 1 + whole.plan.row_count);
        assert_null(strstr(text, "nan"));
        free(text);
        bench_plan_free(&whole.plan);
    }
}

static void tables(void **state) {
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        memset(&fake, 0, sizeof fake);
        fake.gpu = gpu;
        struct whole whole = run(NULL, 0, "64");
        char *text;
        size_t length;
        FILE *file = open_memstream(&text, &length);
        bench_table_header(file, &whole.plan);
        for (size_t s = 0; s < whole.plan.section_count; s++) {
            /* The largest possible counts must not widen a line. */
            whole.plan.sections[s].rows[0].counters.inst_executed = 99999999999;
            whole.plan.sections[s].rows[0].counters.gld_transactions = 99999999999;
            whole.plan.sections[s].rows[0].counters.gst_transactions = 99999999999;
            whole.plan.sections[s].rows[0].counters.shared_load_transactions = 9999999999;
            assert_true(bench_table_section(file, &whole.plan, &whole.plan.sections[s], false));
        }
        fclose(file);
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 100)
                fail_msg("wider than 100 columns: %.*s", (int)strcspn(line, "\n"), line);
        assert_non_null(strstr(text, gpu ? "GB/s" : "ld trans"));
        assert_null(strstr(text, gpu ? "ld trans" : "% copy"));
        assert_null(strstr(text, "nan"));
        free(text);
        bench_plan_free(&whole.plan);
    }
}

static void a_failure_is_red_only_with_colour(void **state) {
    (void)state;
    static const char *const names[] = {"copy"};
    memset(&fake, 0, sizeof fake);
    fake.fault = FAKE_ONE_WRONG;
    struct whole whole = run(names, 1, "64");
    for (int colour = 0; colour < 2; colour++) {
        char *text;
        size_t length;
        FILE *file = open_memstream(&text, &length);
        assert_true(bench_table_section(file, &whole.plan, &whole.plan.sections[0], colour));
        fclose(file);
        assert_non_null(strstr(text, "FAIL"));
        assert_non_null(strstr(text, "out0[3]"));
        assert_int_equal(strstr(text, "\033[31mFAIL") != NULL, colour);
        free(text);
    }
    bench_plan_free(&whole.plan);
}

static void files_appear_whole_or_not_at_all(void **state) {
    (void)state;
    struct base_output output;
    struct base_error error;
    struct stat status;
    char folder[] = "outputXXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.json", folder);
    assert_true(base_output_open(&output, "--json", path, &error));
    fputs("one", output.file);
    assert_int_not_equal(stat(path, &status), 0);
    assert_true(base_output_commit(&output, &error));
    base_output_close(&output);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 3);
    /* After a cancelled write the old file stays, and no other file is left. */
    assert_true(base_output_open(&output, "--json", path, &error));
    fputs("half", output.file);
    base_output_close(&output);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* empty */
    assert_false(base_output_open(&output, "--json", "no/such/folder/a.json", &error));
    assert_non_null(strstr(error.text, "--json: no/such/folder/a.json cannot be written"));
    assert_false(base_output_open(&output, "--json", ".", &error));
    assert_true(base_output_open(&output, "--json", "/dev/null", &error));
    fputs("gone", output.file);
    assert_true(base_output_commit(&output, &error));
    base_output_close(&output);
    if (stat("/dev/full", &status) == 0) {
        assert_true(base_output_open(&output, "--json", "/dev/full", &error));
        fputs("no room", output.file);
        assert_false(base_output_commit(&output, &error));
        base_output_close(&output);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_of_the_simulator),
        cmocka_unit_test(json_of_a_gpu),
        cmocka_unit_test(copies_of_nearly_the_same_size),
        cmocka_unit_test(several_sizes),
        cmocka_unit_test(failed_rows),
        cmocka_unit_test(a_fault_stops_the_run),
        cmocka_unit_test(csv),
        cmocka_unit_test(tables),
        cmocka_unit_test(a_failure_is_red_only_with_colour),
        cmocka_unit_test(files_appear_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
