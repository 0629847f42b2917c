/* Host loops on all cores: the references and comparisons must not outlast the kernels. */
#ifndef WIDELOAD_BENCH_PARALLEL_H
#define WIDELOAD_BENCH_PARALLEL_H

#include <stdint.h>

typedef void bench_range_fn(void *argument, uint64_t first, uint64_t last);

/* Cuts [0, count) into ranges and calls body for each, on several threads when that is worth it: a range
 * holds at least `grain` items (>= 1).  Returns when all are done.  Falls back to the calling thread. */
void bench_parallel(uint64_t count, uint64_t grain, bench_range_fn *body, void *argument);

#endif
