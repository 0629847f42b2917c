/* Sizes that have names: permutations that users of tensor libraries run. */
#ifndef WIDELOAD_BENCH_CASES_H
#define WIDELOAD_BENCH_CASES_H

#include "bench/parse.h"

/* The i-th case, which brings its order and its width; NULL past the last. */
const char *bench_case_at(size_t i, struct bench_size *out);

/* "heads-128", or "cases", all of them: takes them into the list.  Knows no other words. */
bool bench_take_case(const char *option, const char *word, struct bench_sizes *list,
                     struct base_error *error);

#endif
