/* The table for people: one section an experiment, aligned, at most 100 columns wide. */
#ifndef WIDELOAD_BENCH_TABLE_H
#define WIDELOAD_BENCH_TABLE_H

#include <stdio.h>

#include "bench/plan.h"

/* The device's line. */
void bench_table_header(FILE *file, const struct bench_plan *plan);
/* False when memory is exhausted. */
bool bench_table_section(FILE *file, const struct bench_plan *plan, const struct bench_section *section,
                         bool colour);

#endif
