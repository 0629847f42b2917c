/* The choice of rows to compare: ladders, sweeps, and the counters for a time. */
#include "tests/report/make.h"

#include <math.h>

static struct report_experiment one(const struct report_data *data, struct report_pool *pool) {
    size_t count;
    struct report_experiment *experiments = report_experiments(data, &count, pool);
    assert_int_equal(count, 1);
    return experiments[0];
}

/* One row per kernel: the cold one, misaligned, at the common size, with the best block; peers last. */
static void test_ladder(void **state) {
    struct report_pool pool = {0};
    (void)state;
    struct report_data data = make_data(
        ROW("p", "9", ", 'size': 100", ", 'peer': {'library': 'L'}") "," ROW("a", "5", ", 'size': 100, 'offset': 8, 'block': 64", ", 'l2': 'cold'") "," ROW(
            "a", "3", ", 'size': 100, 'offset': 11, 'block': 64",
            ", 'l2': 'cold'") "," ROW("a", "4", ", 'size': 100, 'offset': 11, 'block': 128",
                                      ", 'l2': 'cold', 'pct_copy': 50") "," ROW("a", "6",
                                                                                ", 'size': 100, 'offset': "
                                                                                "11, 'block': 64",
                                                                                ", 'l2': 'hot'") "," ROW("a",
                                                                                                         "7",
                                                                                                         ", "
                                                                                                         "'si"
                                                                                                         "ze'"
                                                                                                         ": "
                                                                                                         "500"
                                                                                                         ", "
                                                                                                         "'of"
                                                                                                         "fse"
                                                                                                         "t':"
                                                                                                         " 11"
                                                                                                         ", "
                                                                                                         "'bl"
                                                                                                         "ock"
                                                                                                         "': "
                                                                                                         "64",
                                                                                                         ", "
                                                                                                         "'l2"
                                                                                                         "': "
                                                                                                         "'co"
                                                                                                         "ld"
                                                                                                         "'") "," ROW("b",
                                                                                                                      "2",
                                                                                                                      ", 'size': 50, 'offset': 8",
                                                                                                                      ""),
        NULL, &pool);
    struct report_experiment experiment = one(&data, &pool);
    assert_int_equal(experiment.ladder_count, 3);
    assert_true(experiment.ladder[0]->gbps == 4);
    assert_true(experiment.ladder[1]->gbps == 2);
    assert_true(experiment.ladder[2]->gbps == 9);
    assert_string_equal(experiment.fixed, "");
    assert_true(experiment.copy_gbps == 8);
    report_pool_free(&pool);
}

/* Three values make a sweep, in order; two do not; a failed row is not a point of it. */
static void test_sweep(void **state) {
    struct report_pool pool = {0};
    (void)state;
    struct report_data data = make_data(
        ROW("a", "4", ", 'size': 1, 'stride': 8", "") "," ROW(
            "a", "2", ", 'size': 1, 'stride': 2",
            "") "," ROW("a", "1", ", 'size': 1, 'stride': 1",
                        "") "," ROW("a", "7", ", 'size': 2, 'stride': 1",
                                    "") "," ROW("a", "null", ", 'size': 1, 'stride': 4",
                                                "") "," ROW("b", "2", ", 'size': 1, 'stride': 2",
                                                            "") "," ROW("b", "1", ", 'size': 1, 'stride': 1",
                                                                        ""),
        NULL, &pool);
    struct report_experiment experiment = one(&data, &pool);
    assert_int_equal(experiment.sweep_count, 1);
    const struct report_sweep *sweep = &experiment.sweeps[0];
    assert_int_equal(sweep->param, REPORT_STRIDE);
    assert_int_equal(sweep->count, 1);
    assert_string_equal(sweep->series[0].name, "a");
    assert_string_equal(sweep->fixed, "size 1");
    assert_int_equal(sweep->series[0].count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(sweep->series[0].rows[i]->gbps == (double)(1 << i));
    report_pool_free(&pool);
}

/* The same kernel at the same offset, stride and matrix, with any size; an equal block is preferred. */
static void test_counters(void **state) {
#define COUNTED(kernel, params, bound)                                                                       \
    "{'experiment': 'copy', 'kernel': '" kernel "', 'verified': true, 'params': {'size': 1" params           \
    "}, 'counters': {'bound_pct': " bound "}}"
    static const double expected[] = {2, 1, 3, NAN, NAN, 4, NAN};
    struct report_pool pool = {0};
    (void)state;
    struct report_data data = make_data(
        ROW("a", "1", ", 'size': 9, 'block': 64", "") "," ROW(
            "a", "2", ", 'size': 9, 'block': 32",
            "") "," ROW("a", "3", ", 'size': 9, 'offset': 3",
                        "") "," ROW("a", "4", ", 'size': 9, 'offset': 4",
                                    "") "," ROW("a", "5", ", 'size': 1",
                                                ", 'peer': {'library': 'L'}") "," ROW("a", "6",
                                                                                      ", 'matrix': 'rmat:16'",
                                                                                      "") "," ROW("a", "7",
                                                                                                  ", "
                                                                                                  "'matrix': "
                                                                                                  "'banded:"
                                                                                                  "17'",
                                                                                                  ""),
        COUNTED("a", "", "1") "," COUNTED("a", ", 'block': 64", "2") "," COUNTED(
            "a", ", 'offset': 3", "3") "," COUNTED("a", ", 'matrix': 'rmat:16'", "4"),
        &pool);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct report_row *counters = report_counters_of(&data, &data.rows[i]);
        if (isnan(expected[i]))
            assert_null(counters);
        else
            assert_true(counters && counters->ratio[REPORT_BOUND] == expected[i]);
    }
    report_pool_free(&pool);
}

/* Distinct names make distinct ids; the bench's experiments come in its order. */
static void test_experiments(void **state) {
#define NAMED(name) "{'experiment': '" name "', 'kernel': 'k', 'verified': true, 'params': {}}"
    static const char *const ids[] = {"add", "transpose", "zoo", "zoo-2", "x", "x-2"};
    struct report_pool pool = {0};
    size_t count;
    (void)state;
    struct report_data data = make_data(NAMED("zoo") "," NAMED("Zoo!") "," NAMED("transpose") "," NAMED(
                                            "<>") "," NAMED("\xc3\xa9") "," NAMED("add") "," NAMED("add"),
                                        NULL, &pool);
    struct report_experiment *experiments = report_experiments(&data, &count, &pool);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(experiments[i].id, ids[i]);
    assert_int_equal(experiments[0].row_count, 2);
    assert_non_null(experiments[1].question);
    assert_null(experiments[2].question);
    report_pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_experiments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
