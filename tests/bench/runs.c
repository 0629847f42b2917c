#include "tests/bench/test.h"

#include "tests/bench/runs.h"

/* The plan's devices, if it needs several. */
static bool open_group(struct bench_plan *plan, struct wl_group *group) {
    unsigned gpus = bench_plan_gpus(plan);
    plan->group_absent = "there is 1 device";
    for (; group->count < gpus && !fake.no_peer_access; group->count++)
        assert_int_equal(wl_open(&group->contexts[group->count], NULL), WL_ERROR_OK);
    if (gpus > 1 && wl__group_open(group) == WL_ERROR_OK)
        plan->group = group;
    return true;
}

bool run_plan(struct bench_plan *plan, struct bench_request request, const char *size,
              struct bench_result *result, struct base_error *error) {
    struct bench_observer observer = {0};
    struct wl_group group = {.count = 1};
    wl_context *context;
    *error = (struct base_error){.text = ""};
    if (size)
        assert_true(bench_parse_sizes("--size", size, &request.sizes, error));
    assert_int_equal(wl_open(&context, NULL), WL_ERROR_OK);
    group.contexts[0] = context;
    bool ran = bench_plan_make(plan, &request, error) && open_group(plan, &group) &&
               bench_peers_open(plan, context, &request, error) &&
               bench_plan_admit(plan, context, &request, error) &&
               bench_run(plan, context, &request, &observer, result, error);
    bench_peers_close(context);
    wl__group_close(&group);
    for (unsigned r = 0; r < group.count; r++)
        wl_close(group.contexts[r]);
    if (size)
        bench_sizes_free(&request.sizes);
    assert_int_equal(fake_allocations, 0);
    assert_int_equal(fake.opened, 0);
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
