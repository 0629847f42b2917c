/* Runs a plan: verifies every row, then times it (a GPU) or counts it (the simulator). */
#ifndef WIDELOAD_BENCH_RUN_H
#define WIDELOAD_BENCH_RUN_H

#include "bench/plan.h"

struct bench_observer {
    void *argument;
    /* (optional) Before row `done` of `total` runs. */
    void (*progress)(void *argument, const struct bench_row *row, size_t done, size_t total);
    /* (optional) While an experiment's verified rows are timed: those that have enough samples. */
    void (*timing)(void *argument, const struct bench_section *section, size_t done, size_t total);
    /* (optional) After an experiment's last row. */
    void (*section)(void *argument, const struct bench_plan *plan, const struct bench_section *section);
};

struct bench_result {
    size_t verified, failed, skipped, pending;
    bool broken;       /* the device failed; rows after it are pending */
    char reason[1024]; /* why, when broken */
};

/* False when something beyond single rows failed: *error says what, and *result holds what was reached. */
bool bench_run(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
               const struct bench_observer *observer, struct bench_result *result, struct base_error *error);

#endif
