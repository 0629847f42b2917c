/* Results for programs: JSON with the schema wideload-bench/1 (docs/schema.md), and the same rows as CSV. */
#ifndef WIDELOAD_BENCH_JSON_H
#define WIDELOAD_BENCH_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "bench/plan.h"

#define BENCH_SCHEMA "wideload-bench/1"

/* Both write the whole plan.  False: out of memory, or a write failed. */
bool bench_write_json(FILE *file, const struct bench_plan *plan);
bool bench_write_csv(FILE *file, const struct bench_plan *plan);

/* The member `params` of a row: the parameters in which an experiment's rows differ.  A new reference; NULL:
 * out of memory. */
json_t *bench_params_json(const struct bench_row *row);

#endif
