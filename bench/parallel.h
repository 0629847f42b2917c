/* Host loops on all cores, so that references and comparisons do not take longer than the kernels. */
#ifndef WIDELOAD_BENCH_PARALLEL_H
#define WIDELOAD_BENCH_PARALLEL_H

#include <stdint.h>

typedef void bench_range_fn(void *argument, uint64_t first, uint64_t last);

/* Splits [0, count) into ranges of at least `grain` (>= 1) items and calls body for each, on a thread per
 * range.  Returns when all are done.  A range whose thread cannot start runs on the calling thread. */
void bench_parallel(uint64_t count, uint64_t grain, bench_range_fn *body, void *argument);

#endif
