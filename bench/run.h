/* Runs a plan: verifies every row, then times it (GPU) or counts its accesses (simulator). */
#ifndef WIDELOAD_BENCH_RUN_H
#define WIDELOAD_BENCH_RUN_H

#include "bench/plan.h"

struct bench_observer {
    void *argument;
    /* (optional) Called before row `done` of `total` runs. */
    void (*progress)(void *argument, const struct bench_row *row, size_t done, size_t total);
    /* (optional) Called while a section's verified rows are timed; done: rows with enough samples. */
    void (*timing)(void *argument, const struct bench_section *section, size_t done, size_t total);
    /* (optional) Called after a section's last row. */
    void (*section)(void *argument, const struct bench_plan *plan, const struct bench_section *section);
};

struct bench_result {
    size_t verified, failed, skipped, pending;
    bool broken;       /* the device failed; the rows after that are pending */
    char reason[1024]; /* if broken: why */
};

/* False if more than single rows failed: *error says what, and *result holds the results so far. */
bool bench_run(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
               const struct bench_observer *observer, struct bench_result *result, struct base_error *error);

#endif
