/* Runs of the bench on the stub, as the program makes them, and their output. */
#ifndef WIDELOAD_TESTS_BENCH_RUNS_H
#define WIDELOAD_TESTS_BENCH_RUNS_H

#include <stdio.h>

#include "bench/run.h"
#include "tests/bench/fake.h"

/* Makes the plan of a request and runs it; size: in the form of --size, NULL for the experiments' own.  The
 * caller always frees the plan and the request's other members.  False: *error says why it did not run.
 * Fails the test if device memory is leaked. */
bool run_plan(struct bench_plan *plan, struct bench_request request, const char *size,
              struct bench_result *result, struct base_error *error);
/* The same, but fails the test if it did not run. */
struct bench_result run_right(struct bench_plan *plan, struct bench_request request, const char *size);

/* What one of the bench's writers writes about a plan; the caller frees it. */
char *written(bool (*write)(FILE *, const struct bench_plan *), const struct bench_plan *plan);

#endif
