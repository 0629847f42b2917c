/* Reading one file: null, absent and wrong members. */
#include "tests/report/make.h"

#include <math.h>

static void test_row(void **state) {
    struct report_pool pool = {0};
    struct report_results results;
    struct base_error error;
    (void)state;
    assert_true(make_results(
        &results, GPU,
        ROW("k", "2.5", ", 'size': 268435456, 'block': '32x8', 'offset': 0",
            ", 'peer': {'library': 'L', 'version': '2'}, 'clocks': {'sm_mhz': 5, 'throttle': ['a', 'b']},"
            "'time_ms': {'median': 4, 'iqr': 1, 'min': 3, 'n': 9}, 'l2': 'hot', 'fits_l2': true"),
        &pool, &error));
    const struct report_row *row = &results.rows[0];
    assert_true(row->param[REPORT_SIZE] == 268435456 && row->param[REPORT_BLOCK] == 256);
    assert_string_equal(row->param_text[REPORT_SIZE], "2^28");
    assert_string_equal(row->param_text[REPORT_BLOCK], "32x8");
    assert_string_equal(row->param_text[REPORT_OFFSET], "0");
    assert_true(isnan(row->param[REPORT_STRIDE]) && !row->param_text[REPORT_STRIDE]);
    assert_string_equal(row->library, "L");
    assert_string_equal(row->throttle, "a, b");
    assert_true(row->median == 4 && row->samples == 9 && row->fits_l2 && row->gbps == 2.5);
    assert_true(isnan(row->gops) && isnan(row->occupancy) && !row->has_counters && isnan(row->moved));
    assert_int_equal(row->status, REPORT_VERIFIED);
    assert_true(isnan(results.device.l2_bytes) && isnan(results.seed) && !results.command);
    report_pool_free(&pool);
}

/* Bytes moved are those of loads, stores and, if the file has them, bulk copies. */
static void test_moved(void **state) {
    static const struct {
        const char *counters;
        double moved;
    } cases[] = {
        {"'gld_moved_bytes': 64, 'gst_moved_bytes': 32", 96},
        {"'gld_moved_bytes': 0, 'gst_moved_bytes': 32, 'bulk_load_transactions': 5, "
         "'bulk_store_transactions': 0",
         192},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report_pool pool = {0};
        struct report_results results;
        struct base_error error;
        assert_true(
            make_results(&results, GPU,
                         report_format(&pool,
                                       "{'experiment': 'e', 'kernel': 'k', 'params': {}, 'verified': true,"
                                       "'counters': {%s}}",
                                       cases[i].counters),
                         &pool, &error));
        assert_true(results.rows[0].moved == cases[i].moved);
        report_pool_free(&pool);
    }
}

static void test_status(void **state) {
    static const struct {
        const char *members;
        enum report_status status;
        const char *note;
    } cases[] = {
        {"'verified': true", REPORT_VERIFIED, NULL},
        {"'verified': false, 'error': 'E'", REPORT_FAILED, "E"},
        {"'verified': null, 'error': 'E'", REPORT_FAILED, "E"},
        {"'verified': null, 'skipped': 'S'", REPORT_SKIPPED, "S"},
        {"'verified': false", REPORT_FAILED, "the file does not say why"},
        {"'bytes': 1", REPORT_SKIPPED, "the file does not say why"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report_pool pool = {0};
        struct report_results results;
        struct base_error error;
        assert_true(make_results(
            &results, GPU,
            report_format(&pool, "{'experiment': 'e', 'kernel': 'k', 'params': {}, %s}", cases[i].members),
            &pool, &error));
        assert_int_equal(results.rows[0].status, cases[i].status);
        if (cases[i].note)
            assert_string_equal(results.rows[0].note, cases[i].note);
        else
            assert_null(results.rows[0].note);
        report_pool_free(&pool);
    }
}

/* The first fault is reported, with its place. */
static void test_faults(void **state) {
    static const char *const cases[][2] = {
        {"{'kernel': 7}", "rows[0].experiment: a string"},
        {"{'experiment': 'e', 'kernel': 'k'}", "rows[0].params: an object"},
        {"{'experiment': 'e', 'kernel': 'k', 'params': {'block': '32y8'}}", "rows[0].params.block"},
        {"{'experiment': 'e', 'kernel': 'k', 'params': {'offset': '3'}}", "rows[0].params.offset"},
        {"{'experiment': 'e', 'kernel': 'k', 'params': {}, 'counters': 1}",
         "rows[0].counters: an object or null"},
        {"{'experiment': 'e', 'kernel': 'k', 'params': {}, 'gbps': true, 'gops': '1'}",
         "rows[0].gbps: a number"},
        {ROW("k", "1", "", "") ", 3", "rows[1]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report_pool pool = {0};
        struct report_results results;
        struct base_error error;
        assert_false(make_results(&results, GPU, cases[i][0], &pool, &error));
        if (!strstr(error.text, cases[i][1]) || !strstr(error.text, "file.json"))
            fail_msg("%s, where %s was expected", error.text, cases[i][1]);
        report_pool_free(&pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
