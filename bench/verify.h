/* Runs a rung once and compares all arrays and guards with the expected contents. */
#ifndef WIDELOAD_BENCH_VERIFY_H
#define WIDELOAD_BENCH_VERIFY_H

#include "bench/workspace.h"

enum bench_verdict {
    BENCH_RIGHT,
    BENCH_WRONG,   /* `text` names the first wrong place */
    BENCH_REFUSED, /* the launch failed, but the device still works */
    BENCH_BROKEN,  /* the device failed, by a kernel's fault or a driver error; nothing more can run */
};

/* Poisons the outputs, launches the rung once on the workspace's arrays, and compares every element of the
 * rung's outputs (some must keep the poison), every element of the inputs, and all guards.  If `counters` is
 * not NULL and the device counts, it receives the counters of exactly that launch, and *counted is true.
 * `text` receives one line for every verdict but RIGHT. */
enum bench_verdict bench_verify(struct bench_workspace *workspace, const struct wl_rung *rung,
                                const struct wl_problem *problem, wl_counters *counters, bool *counted,
                                char *text, size_t text_size);

#endif
