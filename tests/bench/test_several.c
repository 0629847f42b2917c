/* An experiment of several devices, on the stub: shares of arrays, what is compared, times, and what is
 * refused. */
#include "tests/bench/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/json.h"
#include "bench/reference.h"
#include "bench/table.h"
#include "tests/bench/runs.h"

static struct bench_request request_for(unsigned gpus) {
    static const char *const names[] = {"redistribute"};
    return (struct bench_request){
        .experiments = names, .experiment_count = 1, .seed = 5, .samples = 3, .seconds = 1, .gpus = gpus};
}

static void fresh(bool gpu) {
    memset(&fake, 0, sizeof fake);
    fake.gpu = gpu;
    fake.l2_bytes = 4096; /* emptied in no time */
}

/* What the device with the most rows sends. */
static uint64_t crossing(uint64_t rows, uint64_t cols, unsigned gpus, unsigned width) {
    uint64_t most_rows = (rows + gpus - 1) / gpus, most_cols = (cols + gpus - 1) / gpus;
    return width * most_rows * (cols - most_cols);
}

static void shares(void **state) {
    (void)state;
    for (unsigned count = 1; count <= WL_DEVICES_MOST; count++)
        for (uint64_t total = 0; total < 40; total++) {
            uint64_t most = (total + count - 1) / count, least = total / count, sum = 0;
            for (unsigned i = 0; i < count; i++) {
                uint64_t each = wl__share(total, count, i + 1) - wl__share(total, count, i);
                assert_int_equal(wl__share(total, count, i), sum);
                assert_int_equal(each, i < total % count ? most : least);
                sum += each;
            }
            assert_int_equal(sum, total);
        }
}

/* out0 after an exchange, by the place of each element: written anew. */
static void exchange(void **state) {
    (void)state;
    enum { ROWS = 7, COLS = 5, GPUS = 3 };
    struct wl_problem p = {
        .rows = ROWS, .cols = COLS, .n = ROWS * COLS, .batch = 1, .width = 4, .gpus = GPUS};
    const uint64_t rows[] = {0, 3, 5, 7}, cols[] = {0, 2, 4, 5};
    uint32_t in[ROWS * COLS], out[ROWS * COLS], expected[ROWS * COLS];
    const uint32_t *ins[BENCH_INPUTS] = {in};
    uint32_t *outs[BENCH_OUTPUTS] = {out};
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        in[i] = i;
        out[i] = expected[i] = 1000;
    }
    for (int to = 0; to < GPUS; to++) {
        uint64_t at = cols[to] * ROWS;
        for (int from = 0; from < GPUS; from++) {
            uint64_t height = rows[from + 1] - rows[from];
            for (uint64_t i = 0; i < height * (cols[to + 1] - cols[to]); i++, at++)
                if (from != to)
                    expected[at] = (uint32_t)(rows[from] * COLS + height * cols[to] + i);
        }
    }
    bench_reference_of(WL_REF_EXCHANGE)(&p, ins, outs);
    assert_memory_equal(out, expected, sizeof out);
}

static void verified_and_timed(void **state) {
    (void)state;
    static const struct {
        const char *size;
        uint64_t rows, cols;
    } sizes[] = {{"64x96", 64, 96}, {"37x23", 37, 23}, {"1x1", 1, 1}, {"1x33", 1, 33}, {"33x1", 33, 1}};
    for (unsigned gpus = 2; gpus <= WL_DEVICES_MOST; gpus += 7)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct bench_plan plan;
            struct bench_request request = request_for(gpus);
            fresh(true);
            assert_true(bench_parse_numbers("--width", "1,2,4,16", &request.widths, &(struct base_error){0}));
            struct bench_result result = run_right(&plan, request, sizes[s].size);
            assert_int_equal(result.verified, 4 * 2);
            for (size_t i = 0; i < plan.section_count; i++) {
                const struct bench_row *row = &plan.sections[i].rows[0];
                uint64_t bytes = crossing(sizes[s].rows, sizes[s].cols, gpus, row->problem.width);
                assert_int_equal(row->bytes, bytes);
                assert_true(fabs(row->gbps - (double)bytes / 0.5 * 1e-6) < 1e-9);
                assert_true(isnan(row->pct_peak));
                assert_true(bytes ? fabs(row->pct_copy - 100) < 1e-9 : isnan(row->pct_copy));
            }
            /* A sample has a meeting before it and one after it. */
            assert_int_equal(fake.meetings, 4 * 2 * (3 + 1) * 2);
            bench_plan_free(&plan);
            bench_numbers_free(&request.widths);
        }
}

static void two_by_default(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(false);
    run_right(&plan, request_for(0), NULL);
    assert_int_equal(plan.sections[0].rows[0].problem.gpus, 2);
    assert_int_equal(plan.sections[0].rows[0].problem.width, 4);
    assert_int_equal(plan.section_count, 1);
    bench_plan_free(&plan);
}

static void catches_what_is_wrong(void **state) {
    (void)state;
    /* 10 x 7 on 3 devices: the last one has rows 7 to 9, and wants columns 5 and 6. */
    static const struct {
        enum fake_fault fault;
        const char *says;
    } cases[] = {
        {FAKE_NEVER_WRITES, "out0[0]: never written"},
        {FAKE_LAST_WRONG, "out0[69]: got"},
        {FAKE_PAST_END, "out0 of device 2: byte 5 past its end was overwritten"},
        {FAKE_INPUT_CHANGED, "in0[49]: got"},
        {FAKE_OPEN_FAILS, "there is no plan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_plan plan;
        fresh(true);
        fake.fault = cases[i].fault;
        fake.distance = 5;
        struct bench_result result = run_right(&plan, request_for(3), "10x7");
        assert_int_equal(result.failed, 2);
        for (size_t r = 0; r < 2; r++)
            if (!strstr(plan.sections[0].rows[r].note, cases[i].says))
                fail_msg("%s: %s", cases[i].says, plan.sections[0].rows[r].note);
        assert_false(plan.sections[0].rows[0].has_time);
        bench_plan_free(&plan);
    }
}

static void a_graph_needs_one_device(void **state) {
    (void)state;
    struct bench_plan plan;
    struct bench_request request = request_for(2);
    fresh(true);
    request.hot = true;
    run_right(&plan, request, "64");
    assert_int_equal(plan.sections[0].rows[0].status, BENCH_VERIFIED);
    bench_plan_free(&plan);
    fake.launch_ms = 0.01;
    request.graph = true;
    run_right(&plan, request, "64");
    assert_int_equal(plan.sections[0].rows[0].status, BENCH_FAILED);
    assert_string_equal(plan.sections[0].rows[0].note,
                        "no CUDA graph of 20 calls can be recorded: they are on several devices");
    bench_plan_free(&plan);
    request.graph = false;
    run_right(&plan, request, "64");
    assert_in_range(plan.sections[0].rows[0].launches, 19, 20);
    assert_false(plan.sections[0].rows[0].replayed);
    assert_int_equal(fake.replays, 0);
    bench_plan_free(&plan);
}

static void too_few_devices(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "redistribute"};
    struct bench_plan plan;
    struct bench_result result;
    struct base_error error;
    struct bench_request request = request_for(0);
    fresh(true);
    fake.no_peer_access = true;
    assert_false(run_plan(&plan, request, "64", &result, &error));
    assert_true(error.usage);
    assert_non_null(strstr(error.text, "gpus 2: there is 1 device"));
    bench_plan_free(&plan);
    request.experiments = names;
    request.experiment_count = 2;
    result = run_right(&plan, request, "64");
    assert_int_equal(result.skipped, 2);
    assert_int_equal(result.verified, 3);
    bench_plan_free(&plan);
}

static void refused_elsewhere(void **state) {
    (void)state;
    static const char *const copy[] = {"copy"};
    struct bench_plan plan;
    struct base_error error;
    struct bench_request request = {.experiments = copy, .experiment_count = 1, .gpus = 2};
    assert_false(bench_plan_make(&plan, &request, &error));
    assert_true(error.usage);
    assert_non_null(strstr(error.text, "--gpus: none of the chosen experiments"));
    bench_plan_free(&plan);
}

static void memory_of_each_device(void **state) {
    (void)state;
    struct bench_plan plan;
    struct bench_result result;
    struct base_error error;
    fresh(true);
    /* An array has 4 MiB, so each of 4 devices has 1 MiB of each of the two. */
    fake.memory = (2 << 20) + (64 << 10);
    (void)run_right(&plan, request_for(4), "1024x1024");
    bench_plan_free(&plan);
    fake.memory = 2 << 20;
    assert_false(run_plan(&plan, request_for(4), "1024x1024", &result, &error));
    assert_non_null(strstr(error.text, "of device memory"));
    bench_plan_free(&plan);
}

/* Each device's share of both arrays decides, not the bytes that cross. */
static void sizes_beyond_the_cache(void **state) {
    (void)state;
    static const struct {
        const char *size;
        bool fits;
    } cases[] = {{"64x64", false}, {"64x63", true}};
    for (size_t i = 0; i < 2; i++) {
        struct bench_plan plan;
        fresh(true);
        /* 4 times 4096 bytes are what each of two devices has of 64 x 64 elements. */
        run_right(&plan, request_for(2), cases[i].size);
        assert_int_equal(plan.sections[0].rows[0].fits_l2, cases[i].fits);
        bench_plan_free(&plan);
    }
    struct bench_plan plan;
    fresh(true);
    fake.l2_bytes = 4 << 20;
    run_right(&plan, request_for(2), NULL);
    assert_int_equal(plan.sections[0].rows[0].problem.rows, 2048);
    bench_plan_free(&plan);
}

static void what_is_written(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(true);
    run_right(&plan, request_for(3), "64");
    char *text = written(bench_write_json, &plan);
    json_t *root = json_loads(text, 0, NULL);
    json_t *row = json_array_get(json_object_get(root, "rows"), 0);
    json_t *params = json_object_get(row, "params");
    assert_int_equal(json_integer_value(json_object_get(params, "gpus")), 3);
    assert_true(json_is_null(json_object_get(row, "pct_peak")));
    assert_true(json_is_real(json_object_get(row, "pct_copy")));
    json_decref(root);
    free(text);
    text = written(bench_write_csv, &plan);
    assert_non_null(strstr(text, ",matrix,gpus,verified,"));
    assert_non_null(strstr(text, ",,3,true,"));
    free(text);
    text = written(bench_write_markdown, &plan);
    assert_non_null(strstr(text, "width 4, gpus 3"));
    free(text);
    bench_plan_free(&plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(exchange),
        cmocka_unit_test(verified_and_timed),
        cmocka_unit_test(two_by_default),
        cmocka_unit_test(catches_what_is_wrong),
        cmocka_unit_test(a_graph_needs_one_device),
        cmocka_unit_test(too_few_devices),
        cmocka_unit_test(refused_elsewhere),
        cmocka_unit_test(memory_of_each_device),
        cmocka_unit_test(sizes_beyond_the_cache),
        cmocka_unit_test(what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
