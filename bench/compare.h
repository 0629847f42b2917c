/* Compares this run's rows with an earlier run's results. */
#ifndef WIDELOAD_BENCH_COMPARE_H
#define WIDELOAD_BENCH_COMPARE_H

#include <stdio.h>

#include "bench/plan.h"

/* Rows are compared if both runs verified them with the same experiment, kernel, parameters and L2 state.  On
 * a GPU the median time is compared; on the simulator the counter of memory traffic that changed most. */
struct bench_earlier;

/* Reads the JSON of an earlier `wideload bench`.  An error names the file and the place of a syntax error.
 * The caller frees *out. */
bool bench_earlier_read(struct bench_earlier **out, const char *path, struct base_error *error);
void bench_earlier_free(struct bench_earlier *earlier);

/* Refuses results of another device, since a ratio of two devices' figures means nothing.  Two devices are
 * the same if name and architecture are; the simulator's architecture is the name of its counting rules. */
bool bench_earlier_check(const struct bench_earlier *earlier, const struct bench_plan *plan,
                         struct base_error *error);

/* Prints each row's ratio, then a summary in one sentence.  tolerance: in percent; negative: the default, 2
 * for times and 0 for counters, which are exact.  *slower: the number of rows that got worse by more than
 * that.  False: out of memory. */
bool bench_compare(FILE *file, const struct bench_earlier *earlier, const struct bench_plan *plan,
                   double tolerance, bool colour, size_t *slower);

#endif
