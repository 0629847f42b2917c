/* The end of a run of all experiments: a line for each. */
#ifndef WIDELOAD_BENCH_SUMMARY_H
#define WIDELOAD_BENCH_SUMMARY_H

#include <stdio.h>

#include "bench/plan.h"

/* Of each experiment: the first rung, the best one, the library's, the best of the peers, and what it
 * teaches.  Of an experiment's sizes, variants, offsets and strides, the case where its first rung does
 * worst; on a GPU by bandwidth (or operations), on the simulator by traffic.  Rows that copy instead of doing
 * the experiment's work are left out.  At most 23 lines.  False: out of memory. */
bool bench_put_summary(FILE *file, const struct bench_plan *plan);

#endif
