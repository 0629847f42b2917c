/* Other libraries' rows, with stubs of the libraries in the folders PEERS_RIGHT and PEERS_OLD. */
#include "tests/bench/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/json.h"
#include "bench/table.h"
#include "tests/bench/runs.h"

struct asked {
    const char *experiment, *size, *peers, *kernels;
};

/* True if the plan ran; the caller always frees it. */
static bool run(struct bench_plan *plan, const struct asked *asked, struct base_error *error) {
    struct bench_request request = {
        .experiments = &asked->experiment, .experiment_count = 1, .seed = 3, .samples = 3, .seconds = 1};
    struct bench_result result;
    assert_true(bench_parse_peers("--peers", asked->peers, &request.peers, error));
    if (asked->kernels)
        assert_true(bench_parse_names("--kernel", asked->kernels, &request.kernels, error));
    bool right = run_plan(plan, request, asked->size, &result, error);
    bench_names_free(&request.kernels);
    return right;
}

static void must_run(struct bench_plan *plan, const struct asked *asked) {
    struct base_error error;
    if (!run(plan, asked, &error))
        fail_msg("%s", error.text);
}

static const struct bench_row *find(const struct bench_plan *plan, const char *kernel) {
    for (size_t s = 0; s < plan->section_count; s++)
        for (size_t i = 0; i < plan->sections[s].row_count; i++)
            if (strcmp(plan->sections[s].rows[i].rung->name, kernel) == 0)
                return &plan->sections[s].rows[i];
    return NULL;
}

static void fresh(bool gpu, const char *folder) {
    memset(&fake, 0, sizeof fake);
    fake.gpu = gpu;
    setenv("CUDA_HOME", folder, 1);
    unsetenv("FAKE_CUBLAS");
    unsetenv("FAKE_NCCL");
}

static void rows_verified_and_timed(void **state) {
    (void)state;
    static const struct {
        struct asked asked;
        const char *kernel, *library, *version;
    } cases[] = {
        {{"transpose", "37x101", "all", NULL}, "cublas-geam", "cuBLAS", "13.1.2"},
        {{"transpose", "37x101", "all", NULL}, "cutensor-permute", "cuTENSOR", "2.3.1"},
        {{"add", "1023", "all", NULL}, "cublas-geam", "cuBLAS", "13.1.2"},
        {{"add", "4096", "cublas", NULL}, "cublas-geam", "cuBLAS", "13.1.2"},
        {{"csr-transpose", "100x70", "all", NULL}, "cusparse-csr2csc", "cuSPARSE", "12.6.3"},
        {{"copy", "1000", "none", NULL}, "driver", "CUDA driver", "13.0"},
        {{"redistribute", "37x101", "all", NULL}, "nccl", "NCCL", "2.28.3"},
        {{"redistribute", "37x101", "nccl", NULL}, "nccl-alltoall", "NCCL", "2.28.3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_plan plan;
        fresh(true, PEERS_RIGHT);
        must_run(&plan, &cases[i].asked);
        const struct bench_row *row = find(&plan, cases[i].kernel);
        assert_non_null(row);
        if (row->status != BENCH_VERIFIED)
            fail_msg("%s: %s", cases[i].kernel, row->note);
        assert_true(row->has_time);
        assert_string_equal(row->rung->library, cases[i].library);
        assert_string_equal(row->library_version, cases[i].version);
        bench_plan_free(&plan);
    }
}

static void sizes(void **state) {
    (void)state;
    static const char *const arrays[] = {"1", "2", "7", "1024", "6000"};
    static const char *const matrices[] = {"1", "1x17", "17x1", "64x64", "3x1000"};
    for (size_t i = 0; i < 5; i++) {
        struct bench_plan plan;
        fresh(true, PEERS_RIGHT);
        must_run(&plan, &(struct asked){"add", arrays[i], "all", NULL});
        assert_int_equal(find(&plan, "cublas-geam")->status, BENCH_VERIFIED);
        bench_plan_free(&plan);
        must_run(&plan, &(struct asked){"transpose", matrices[i], "all", NULL});
        assert_int_equal(find(&plan, "cublas-geam")->status, BENCH_VERIFIED);
        assert_int_equal(find(&plan, "cutensor-permute")->status, BENCH_VERIFIED);
        bench_plan_free(&plan);
        must_run(&plan, &(struct asked){"csr-transpose", matrices[i], "all", NULL});
        assert_int_equal(find(&plan, "cusparse-csr2csc")->status, BENCH_VERIFIED);
        bench_plan_free(&plan);
        must_run(&plan, &(struct asked){"redistribute", matrices[i], "all", NULL});
        assert_int_equal(find(&plan, "nccl")->status, BENCH_VERIFIED);
        assert_int_equal(find(&plan, "nccl-alltoall")->status, BENCH_VERIFIED);
        bench_plan_free(&plan);
    }
}

/* Every width and type that geam supports; for others the row says why not. */
static void operations(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(true, PEERS_RIGHT);
    must_run(&plan, &(struct asked){"transpose-any", "37x21,3x8x5", "all", NULL});
    unsigned right = 0, skipped = 0;
    for (size_t s = 0; s < plan.section_count; s++)
        for (size_t i = 0; i < plan.sections[s].row_count; i++) {
            const struct bench_row *row = &plan.sections[s].rows[i];
            bool geam = strcmp(row->rung->name, "cublas-geam") == 0;
            if (!geam && strcmp(row->rung->name, "cutensor-permute") != 0)
                continue;
            uint32_t width = row->problem.width;
            bool can = geam ? width >= 4 && row->problem.batch == 1 : width == 2 || width == 4 || width == 8;
            if (row->status != (can ? BENCH_VERIFIED : BENCH_SKIPPED))
                fail_msg("width %u: %s", (unsigned)row->problem.width, row->note);
            right += can;
            skipped += !can;
        }
    assert_int_equal(right, 3 + 6);
    assert_int_equal(skipped, 7 + 4);
    bench_plan_free(&plan);
    must_run(&plan, &(struct asked){"permute", "7x5x11@210/4,3x4x5x6@0213/2,2x3x1x4x5@41203/8,9@0/4,6x7@10/1",
                                    "all", NULL});
    for (size_t s = 0; s < plan.section_count; s++)
        for (size_t i = 0; i < plan.sections[s].row_count; i++) {
            const struct bench_row *row = &plan.sections[s].rows[i];
            bool can = !row->rung->library || row->problem.width != 1;
            if (row->status != (can ? BENCH_VERIFIED : BENCH_SKIPPED))
                fail_msg("permute %zu: %s", s, row->note);
        }
    assert_int_equal(plan.row_count, 10);
    bench_plan_free(&plan);
    must_run(&plan, &(struct asked){"add-any", "1000", "all", NULL});
    for (size_t s = 0; s < plan.section_count; s++)
        for (size_t i = 0; i < plan.sections[s].row_count; i++) {
            const struct bench_row *row = &plan.sections[s].rows[i];
            bool can =
                row->problem.width >= 4 || !row->rung->library || strcmp(row->rung->library, "cuBLAS") != 0;
            assert_int_equal(row->status, can ? BENCH_VERIFIED : BENCH_SKIPPED);
        }
    bench_plan_free(&plan);
}

static void a_wrong_result_fails(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(true, PEERS_RIGHT);
    setenv("FAKE_CUBLAS", "wrong", 1);
    must_run(&plan, &(struct asked){"transpose", "20", "all", NULL});
    const struct bench_row *row = find(&plan, "cublas-geam");
    assert_int_equal(row->status, BENCH_FAILED);
    assert_false(row->has_time);
    assert_non_null(strstr(row->note, "out0[1]"));
    assert_int_equal(find(&plan, "naive-row")->status, BENCH_VERIFIED);
    bench_plan_free(&plan);
    setenv("FAKE_CUBLAS", "refuses", 1);
    must_run(&plan, &(struct asked){"add", "20", "all", NULL});
    row = find(&plan, "cublas-geam");
    assert_int_equal(row->status, BENCH_FAILED);
    assert_non_null(strstr(row->note, "cublasSgeam_64 gave status 13"));
    bench_plan_free(&plan);
}

/* Skipped silently, unless it was requested by name. */
static void a_library_that_cannot_be_used(void **state) {
    (void)state;
    static const struct {
        const char *folder, *fault, *says;
    } cases[] = {
        {PEERS_OLD, "", "no cublasSgeam_64"},
        {PEERS_RIGHT, "no-handle", "cublasCreate gave status 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_plan plan;
        fresh(true, cases[i].folder);
        setenv("FAKE_CUBLAS", cases[i].fault, 1);
        must_run(&plan, &(struct asked){"add", "20", "all", NULL});
        assert_null(find(&plan, "cublas-geam"));
        assert_int_equal(plan.row_count, 1);
        bench_plan_free(&plan);
        must_run(&plan, &(struct asked){"add", "20", "cublas", NULL});
        assert_int_equal(find(&plan, "cublas-geam")->status, BENCH_SKIPPED);
        assert_non_null(strstr(find(&plan, "cublas-geam")->note, cases[i].says));
        bench_plan_free(&plan);
        struct base_error error;
        assert_false(run(&plan, &(struct asked){"add", "20", "all", "cublas-geam"}, &error));
        assert_true(error.usage);
        assert_non_null(strstr(error.text, cases[i].says));
        bench_plan_free(&plan);
    }
}

static void nccl_that_fails(void **state) {
    (void)state;
    static const struct {
        const char *fault, *says;
    } cases[] = {{"no-comms", "ncclCommInitAll gave status 2"}, {"no-send", "ncclSend gave status 2"}};
    for (size_t i = 0; i < 2; i++) {
        struct bench_plan plan;
        fresh(true, PEERS_RIGHT);
        setenv("FAKE_NCCL", cases[i].fault, 1);
        must_run(&plan, &(struct asked){"redistribute", "64", "all", NULL});
        assert_int_equal(find(&plan, "nccl")->status, BENCH_FAILED);
        assert_non_null(strstr(find(&plan, "nccl")->note, cases[i].says));
        assert_int_equal(find(&plan, "nccl-alltoall")->status, BENCH_FAILED);
        assert_int_equal(find(&plan, "wideload")->status, BENCH_VERIFIED);
        bench_plan_free(&plan);
    }
    struct bench_plan plan;
    setenv("FAKE_NCCL", "no-version", 1);
    must_run(&plan, &(struct asked){"redistribute", "64", "nccl", NULL});
    assert_int_equal(find(&plan, "nccl")->status, BENCH_SKIPPED);
    assert_string_equal(find(&plan, "nccl")->note, "ncclGetVersion gave status 2");
    bench_plan_free(&plan);
}

static void none_on_the_simulator(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(false, PEERS_RIGHT);
    must_run(&plan, &(struct asked){"transpose", "20", "all", NULL});
    assert_null(find(&plan, "cublas-geam"));
    bench_plan_free(&plan);
    must_run(&plan, &(struct asked){"transpose", "20", "cublas", NULL});
    assert_string_equal(find(&plan, "cublas-geam")->note, "peers run on a GPU only");
    bench_plan_free(&plan);
}

/* The best kernel is one of ours: a peer never is, however fast. */
static void a_share_of_the_best_copy_kernel(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(true, PEERS_RIGHT);
    must_run(&plan, &(struct asked){"copy", "1000", "all", NULL});
    assert_int_equal(find(&plan, "driver")->rung->block_x, 0);
    assert_true(find(&plan, "scalar")->pct_copy == 100);
    bench_plan_free(&plan);
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    for (size_t i = 0; i < count; i++)
        assert_true(!ladder[i].library || ladder[i].block_x == 0);
}

static void what_is_written(void **state) {
    (void)state;
    struct bench_plan plan;
    fresh(true, PEERS_RIGHT);
    must_run(&plan, &(struct asked){"transpose", "64", "all", NULL});
    char *text = written(bench_write_json, &plan);
    json_t *root = json_loads(text, 0, NULL);
    json_t *rows = json_object_get(root, "rows");
    size_t last = json_array_size(rows) - 1;
    json_t *peer = json_object_get(json_array_get(rows, last), "peer");
    assert_string_equal(json_string_value(json_object_get(peer, "library")), "cuTENSOR");
    assert_string_equal(json_string_value(json_object_get(peer, "version")), "2.3.1");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "peer")));
    json_decref(root);
    free(text);
    text = written(bench_write_csv, &plan);
    assert_non_null(strstr(text, "experiment,kernel,peer_library,peer_version,size"));
    assert_non_null(strstr(text, "\ntranspose,cublas-geam,cuBLAS,13.1.2,64x64,"));
    assert_non_null(strstr(text, "\ntranspose,naive-row,,,64x64,"));
    free(text);
    text = written(bench_write_markdown, &plan);
    assert_non_null(strstr(text, "size 64x64, cuBLAS 13.1.2, cuTENSOR 2.3.1"));
    assert_non_null(strstr(text, "| cublas-geam |"));
    free(text);
    bench_plan_free(&plan);
}

static void words_for_the_option(void **state) {
    (void)state;
    struct bench_peer_choice choice;
    struct base_error error;
    assert_true(bench_parse_peers("--peers", "none", &choice, &error));
    assert_int_equal(choice.libraries, 0);
    assert_true(bench_parse_peers("--peers", "all", &choice, &error));
    assert_false(choice.named);
    assert_true(bench_parse_peers("--peers", "cusparse,cublas", &choice, &error));
    assert_int_equal(choice.libraries, 3);
    assert_true(choice.named);
    assert_false(bench_parse_peers("--peers", "cublass", &choice, &error));
    assert_true(error.usage);
    assert_non_null(strstr(error.text, "did you mean 'cublas'?"));
    assert_false(bench_parse_peers("--peers", "cublas,all", &choice, &error));
    assert_false(bench_parse_peers("--peers", "", &choice, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_verified_and_timed),
        cmocka_unit_test(sizes),
        cmocka_unit_test(operations),
        cmocka_unit_test(a_wrong_result_fails),
        cmocka_unit_test(a_library_that_cannot_be_used),
        cmocka_unit_test(nccl_that_fails),
        cmocka_unit_test(none_on_the_simulator),
        cmocka_unit_test(a_share_of_the_best_copy_kernel),
        cmocka_unit_test(what_is_written),
        cmocka_unit_test(words_for_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
