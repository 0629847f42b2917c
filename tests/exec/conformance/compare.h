/* Comparing results: to the bit, or within what an approximate function may be off. */
#ifndef WIDELOAD_CONFORMANCE_COMPARE_H
#define WIDELOAD_CONFORMANCE_COMPARE_H

#include <stdio.h>

#include "tests/exec/conformance/conformance.h"

/* Whether got's results of tuple i are what expected says; *error, where both are numbers, in ulp. */
bool tuple_matches(const struct conformance_case *one, const struct results *got,
                   const struct results *expected, size_t i, double *error);

/* One line: the case, its operands, got and expected. */
void tuple_print(FILE *f, const struct conformance_case *one, const struct operands *operands,
                 const struct results *got, const struct results *expected, size_t i);

#endif
