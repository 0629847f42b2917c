/* Times the verified rows of one experiment on a GPU.  Rows are interleaved in random order, so that drift
 * affects all of them alike.  Unless the request is hot, each sample starts with a cold L2 cache: persisting
 * lines are reset, and a buffer larger than the cache is written.  If it asks for graphs, each sample is one
 * replay of a CUDA graph of BENCH_GRAPH_LAUNCHES launches. */
#ifndef WIDELOAD_BENCH_MEASURE_H
#define WIDELOAD_BENCH_MEASURE_H

#include "bench/workspace.h"

/* Launches in the graph of a row that is timed as one. */
enum { BENCH_GRAPH_LAUNCHES = 20 };

/* Called after each round of samples; done: rows with enough samples. */
typedef void bench_measure_progress_fn(void *argument, size_t done, size_t total);

/* Fills time_ms and the other GPU figures of the section's verified rows.  Each row's kernel must have run
 * before.  A row whose graph cannot be recorded fails.  `clocks` may be NULL.  False: the driver failed, and
 * the device must not be used any more. */
bool bench_measure(const struct bench_plan *plan, struct bench_clocks *clocks, struct bench_section *section,
                   const struct bench_workspace *workspace, const struct bench_request *request,
                   bench_measure_progress_fn *progress, void *argument, struct base_error *error);

#endif
