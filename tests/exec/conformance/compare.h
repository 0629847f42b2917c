/* Comparison of results: to the bit, or within the error of an approximate function. */
#ifndef WIDELOAD_CONFORMANCE_COMPARE_H
#define WIDELOAD_CONFORMANCE_COMPARE_H

#include <stdio.h>

#include "tests/exec/conformance/conformance.h"

/* Whether got's results for tuple i match expected; *error, if both are numbers, in ulp. */
bool tuple_matches(const struct conformance_case *one, const struct results *got,
                   const struct results *expected, size_t i, double *error);

/* Prints one line: the case, its operands, the actual and the expected results. */
void tuple_print(FILE *f, const struct conformance_case *one, const struct operands *operands,
                 const struct results *got, const struct results *expected, size_t i);

#endif
