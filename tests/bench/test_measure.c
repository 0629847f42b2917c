/* How rows are timed, on the stub: batches, replays, the cache, clocks. */
#include "tests/bench/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clocks.h"
#include "bench/json.h"
#include "bench/measure.h"
#include "bench/table.h"
#include "tests/bench/runs.h"

static void run(struct bench_plan *plan, bool hot) {
    static const char *const copy[] = {"copy"};
    struct bench_request request = {
        .experiments = copy, .experiment_count = 1, .seed = 7, .samples = 5, .seconds = 1, .hot = hot};
    (void)run_right(plan, request, "1000");
}

static void fresh(double launch_ms) {
    memset(&fake, 0, sizeof fake);
    fake.gpu = true;
    fake.launch_ms = launch_ms;
}

static void a_cold_cache(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(0.01);
    run(&plan, false);
    const struct bench_row *row = &plan.sections[0].rows[0];
    assert_int_equal(row->l2, BENCH_L2_COLD);
    assert_int_equal(row->launches, 1);
    assert_false(row->replayed);
    assert_true(fabs(row->time_ms.median - 0.01) < 1e-6);
    assert_int_equal(fake.replays, 0);
    bench_plan_free(&plan);
}

static void short_kernels_are_replayed(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(0.01);
    run(&plan, true);
    const struct bench_row *row = &plan.sections[0].rows[0];
    assert_int_equal(row->l2, BENCH_L2_HOT);
    assert_in_range(row->launches, 19, 20); /* 0.2 ms in all */
    assert_true(row->replayed);
    assert_true(fabs(row->time_ms.median - 0.01) < 1e-6); /* per launch */
    assert_int_equal(fake.replays, 3 * 5);
    bench_plan_free(&plan);
    fresh(0.0001);
    run(&plan, true);
    assert_int_equal(plan.sections[0].rows[0].launches, 200);
    bench_plan_free(&plan);
    fresh(0.5);
    run(&plan, true);
    assert_int_equal(plan.sections[0].rows[0].launches, 1);
    assert_false(plan.sections[0].rows[0].replayed);
    bench_plan_free(&plan);
}

static void a_driver_without_graphs(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(0.01);
    fake.no_graphs = true;
    run(&plan, true);
    const struct bench_row *row = &plan.sections[0].rows[0];
    assert_in_range(row->launches, 19, 20);
    assert_false(row->replayed);
    assert_true(fabs(row->time_ms.median - 0.01) < 1e-6);
    bench_plan_free(&plan);
}

static struct bench_result run_graphs(struct bench_plan *plan) {
    static const char *const copy[] = {"copy"};
    struct bench_request request = {.experiments = copy,
                                    .experiment_count = 1,
                                    .seed = 7,
                                    .samples = 5,
                                    .seconds = 1,
                                    .hot = true,
                                    .graph = true};
    return run_right(plan, request, "1000");
}

/* Whatever a launch takes, as many are replayed; one replay before each sample keeps the device busy. */
static void graphs_of_a_fixed_number(void **state) {
    (void)state;
    static const double times[] = {0.5, 0.01, 0.0001};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct bench_plan plan;
        fresh(times[i]);
        struct bench_result result = run_graphs(&plan);
        assert_int_equal(result.verified, 3);
        const struct bench_row *row = &plan.sections[0].rows[0];
        assert_int_equal(row->l2, BENCH_L2_HOT);
        assert_int_equal(row->launches, BENCH_GRAPH_LAUNCHES);
        assert_int_equal(row->launches, 20);
        assert_true(row->replayed);
        assert_true(fabs(row->time_ms.median - times[i]) < 1e-6);
        assert_int_equal(fake.replays, 3 * 5 * 2);
        bench_plan_free(&plan);
    }
}

static void a_graph_that_cannot_be_recorded(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(0.01);
    fake.no_graphs = true;
    struct bench_result result = run_graphs(&plan);
    assert_int_equal(result.failed, 3);
    assert_false(result.broken);
    for (size_t i = 0; i < 3; i++) {
        const struct bench_row *row = &plan.sections[0].rows[i];
        assert_int_equal(row->status, BENCH_FAILED);
        assert_false(row->has_time);
        assert_string_equal(row->note, "no CUDA graph of 20 calls can be recorded: no graphs");
    }
    char *text = written(bench_write_json, &plan);
    assert_non_null(strstr(text, "\"error\": \"no CUDA graph of 20 calls can be recorded: no graphs\""));
    assert_null(strstr(text, "\"replay\""));
    free(text);
    bench_plan_free(&plan);
}

static void clocks_and_what_slows_them(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(0.5);
    run(&plan, false);
    const struct bench_row *row = &plan.sections[0].rows[0];
    assert_true(row->has_clocks);
    assert_true(row->clocks.sm_mhz == 1755 && row->clocks.memory_mhz == 2619);
    assert_string_equal(bench_throttle_name(row->clocks.reasons, 0), "sw_power_cap");
    assert_string_equal(bench_throttle_name(row->clocks.reasons, 1), "hw_thermal_slowdown");
    assert_null(bench_throttle_name(row->clocks.reasons, 2)); /* an idle device is not slowed */
    assert_true(plan.sm_mhz_most == 1980 && isnan(plan.memory_mhz_most));
    char *text = written(bench_write_json, &plan);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    json_t *clocks = json_object_get(json_array_get(json_object_get(root, "rows"), 0), "clocks");
    assert_int_equal(json_array_size(json_object_get(clocks, "throttle")), 2);
    assert_true(json_number_value(json_object_get(clocks, "sm_mhz")) == 1755);
    assert_true(json_is_null(json_object_get(json_object_get(root, "device"), "memory_mhz_max")));
    assert_int_equal(json_integer_value(json_object_get(root, "seed")), 7);
    json_decref(root);
    free(text);
    text = written(bench_write_markdown, &plan);
    assert_non_null(strstr(text, "throttled"));
    free(text);
    bench_plan_free(&plan);
}

static void clocks_unknown(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(0.5);
    setenv("FAKE_NVML", "none", 1);
    run(&plan, false);
    unsetenv("FAKE_NVML");
    assert_false(plan.sections[0].rows[0].has_clocks);
    assert_true(isnan(plan.sm_mhz_most));
    char *text = written(bench_write_json, &plan);
    assert_non_null(strstr(text, "\"clocks\": null"));
    free(text);
    bench_plan_free(&plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_cache),
        cmocka_unit_test(short_kernels_are_replayed),
        cmocka_unit_test(a_driver_without_graphs),
        cmocka_unit_test(graphs_of_a_fixed_number),
        cmocka_unit_test(a_graph_that_cannot_be_recorded),
        cmocka_unit_test(clocks_and_what_slows_them),
        cmocka_unit_test(clocks_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
