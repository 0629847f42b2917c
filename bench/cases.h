/* Named sizes: permutations that users of tensor libraries run. */
#ifndef WIDELOAD_BENCH_CASES_H
#define WIDELOAD_BENCH_CASES_H

#include "bench/parse.h"

/* The name of the i-th case, whose size includes order and width; NULL past the last. */
const char *bench_case_at(size_t i, struct bench_size *out);

/* Adds the case named `word` ("heads-128") to the list; "cases" adds all of them. */
bool bench_take_case(const char *option, const char *word, struct bench_sizes *list,
                     struct base_error *error);

#endif
