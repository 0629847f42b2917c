/* An earlier run's results for `bench --compare`: any file.  The results are compared with rows of both
 * kinds, a GPU's times and the simulator's counters. */
#include <string.h>

#include "bench/compare.h"
#include "tests/fuzz/fuzz.h"

static struct bench_plan plan;

static void make_plan(void) {
    static const char *const experiments[] = {"copy", "read-offset"};
    struct bench_size size = {.dimensions = 1, .extent = {1048576}};
    const struct bench_request request = {
        .experiments = experiments, .experiment_count = 2, .sizes = {&size, 1}, .seed = 1};
    struct base_error error;
    if (plan.sections)
        return;
    FUZZ_CHECK(bench_plan_make(&plan, &request, &error));
    strcpy(plan.device.name, "Wideload simulator");
    strcpy(plan.device.arch, "sm_90");
    for (size_t s = 0; s < plan.section_count; s++)
        for (size_t i = 0; i < plan.sections[s].row_count; i++) {
            struct bench_row *row = &plan.sections[s].rows[i];
            row->status = BENCH_VERIFIED;
            row->has_counters = row->has_time = true;
            row->time_ms.median = 1.5;
            row->counters = (struct wl_counters){.gld_transactions = 131072, .global_load_requests = 32768};
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bench_earlier *earlier;
    struct base_error error = {.text = ""};
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    FUZZ_CHECK(nowhere);
    make_plan();
    if (bench_earlier_read(&earlier, fuzz_file(data, size), &error)) {
        FUZZ_CHECK(bench_earlier_check(earlier, &plan, &error) || error.text[0]);
        for (int simulator = 0; simulator < 2; simulator++) {
            size_t worse;
            plan.simulator = simulator;
            FUZZ_CHECK(bench_compare(nowhere, earlier, &plan, -1, true, &worse));
            FUZZ_CHECK(worse <= plan.row_count);
        }
    } else {
        FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
    }
    bench_earlier_free(earlier);
    return 0;
}
