/* The summary at the end of a run of all experiments, one line each. */
#ifndef WIDELOAD_BENCH_SUMMARY_H
#define WIDELOAD_BENCH_SUMMARY_H

#include <stdio.h>

#include "bench/plan.h"

/* A line shows an experiment's first rung, its best, the library's, the best peer, and the lesson.  It is for
 * the size, variant, offset and stride where the first rung is worst: on a GPU by bandwidth or operations, on
 * the simulator by traffic.  Rows that copy instead of doing the experiment's work are left out.  Prints at
 * most 23 lines.  False: out of memory. */
bool bench_put_summary(FILE *file, const struct bench_plan *plan);

#endif
