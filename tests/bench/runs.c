#include "tests/bench/test.h"

#include "tests/bench/runs.h"

bool run_plan(struct bench_plan *plan, struct bench_request request, const char *size,
              struct bench_result *result, struct base_error *error) {
    struct bench_observer observer = {0};
    wl_context *context;
    *error = (struct base_error){.text = ""};
    if (size)
        assert_true(bench_parse_sizes("--size", size, &request.sizes, error));
    assert_int_equal(wl_open(&context, NULL), WL_ERROR_OK);
    bool ran = bench_plan_make(plan, &request, error) && bench_peers_open(plan, context, &request, error) &&
               bench_plan_admit(plan, context, &request, error) &&
               bench_run(plan, context, &request, &observer, result, error);
    bench_peers_close(context);
    wl_close(context);
    if (size)
        bench_sizes_free(&request.sizes);
    assert_int_equal(fake_allocations, 0);
    return ran;
}

struct bench_result run_right(struct bench_plan *plan, struct bench_request request, const char *size) {
    struct bench_result result;
    struct base_error error;
    if (!run_plan(plan, request, size, &result, &error))
        fail_msg("%s", error.text);
    return result;
}

char *written(bool (*write)(FILE *, const struct bench_plan *), const struct bench_plan *plan) {
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_true(write(file, plan));
    fclose(file);
    return text;
}
