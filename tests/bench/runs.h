/* Runs of the bench on the stand-in, as the program makes them, and what they write. */
#ifndef WIDELOAD_TESTS_BENCH_RUNS_H
#define WIDELOAD_TESTS_BENCH_RUNS_H

#include <stdio.h>

#include "bench/run.h"
#include "tests/bench/fake.h"

/* Makes the plan of a request and runs it; size: as --size has it, NULL for the experiments' own.  The plan
 * is the caller's in any case, and so is what else the request holds.  false: *error says why there was no
 * run.  Fails the test where memory of the device is left. */
bool run_plan(struct bench_plan *plan, struct bench_request request, const char *size,
              struct bench_result *result, struct base_error *error);
/* The same, and fails the test when there was no run. */
struct bench_result run_right(struct bench_plan *plan, struct bench_request request, const char *size);

/* What a writer of the bench writes of a plan, to be freed. */
char *written(bool (*write)(FILE *, const struct bench_plan *), const struct bench_plan *plan);

#endif
