/* An earlier run's results, and how this run's rows stand to them. */
#ifndef WIDELOAD_BENCH_COMPARE_H
#define WIDELOAD_BENCH_COMPARE_H

#include <stdio.h>

#include "bench/plan.h"

/* What is compared, of rows that were verified in both runs and have the same experiment, kernel, parameters
 * and state of the second-level cache: on a GPU the median time; on the simulator each counter of memory
 * traffic, the one that changed most. */
struct bench_earlier;

/* Reads the JSON that an earlier `wideload bench` wrote.  An error names the file, and the place where it is
 * no JSON.  The caller frees it. */
bool bench_earlier_read(struct bench_earlier **out, const char *path, struct base_error *error);
void bench_earlier_free(struct bench_earlier *earlier);

/* A ratio of figures from two devices would say nothing: refuses any but the same one (name and architecture,
 * so the simulator's counting rules too). */
bool bench_earlier_check(const struct bench_earlier *earlier, const struct bench_plan *plan,
                         struct base_error *error);

/* Prints each row's ratio, then what became of them in one sentence.  tolerance: per cent, below 0 for the
 * default: 2 for times, 0 for counters, which are exact.  *slower: rows that got worse by more than that.
 * False when memory is exhausted. */
bool bench_compare(FILE *file, const struct bench_earlier *earlier, const struct bench_plan *plan,
                   double tolerance, bool colour, size_t *slower);

#endif
