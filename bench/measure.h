/* Times the verified rows of one experiment on a GPU, interleaved in random order so that drift hits all
 * alike, with a cold second-level cache unless a hot one was asked for: before each sample, lines that loads
 * asked the cache to keep are made ordinary ones, and a buffer larger than it is written. */
#ifndef WIDELOAD_BENCH_MEASURE_H
#define WIDELOAD_BENCH_MEASURE_H

#include "bench/workspace.h"

/* Called after each round of samples: rows done of rows timed. */
typedef void bench_measure_progress_fn(void *argument, size_t done, size_t total);

/* Fills time_ms and what stands beside it of the section's verified rows; `clocks` may be NULL.  Each row's
 * kernel has run before. False on a driver's failure; the device is then not to be used any more. */
bool bench_measure(const struct bench_plan *plan, struct bench_clocks *clocks, struct bench_section *section,
                   const struct bench_workspace *workspace, const struct bench_request *request,
                   bench_measure_progress_fn *progress, void *argument, struct base_error *error);

#endif
