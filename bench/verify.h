/* Runs a rung once and compares everything that it could have touched with what must be there. */
#ifndef WIDELOAD_BENCH_VERIFY_H
#define WIDELOAD_BENCH_VERIFY_H

#include "bench/workspace.h"

enum bench_verdict {
    BENCH_RIGHT,
    BENCH_WRONG,   /* the first wrong place is in the text */
    BENCH_REFUSED, /* the launch failed but the device still works */
    BENCH_BROKEN,  /* the device failed: a kernel's fault, or a driver's error; nothing more can run */
};

/* Launches the rung on the workspace's arrays once.  Before it, outputs are poisoned; after it are
 * compared: every element of every output of the rung, those that must keep their poison too; every
 * element of the inputs; all guards.  Where `counters` is not NULL and the device counts, it receives the
 * counters of exactly that launch; *counted tells.
 * `text` receives one line for every verdict but RIGHT. */
enum bench_verdict bench_verify(struct bench_workspace *workspace, const struct wl_rung *rung,
                                const struct wl_problem *problem, wl_counters *counters, bool *counted,
                                char *text, size_t text_size);

#endif
