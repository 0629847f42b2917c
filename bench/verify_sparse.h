/* Compares the entries of a transposed sparse matrix, in any order within a column. */
#ifndef WIDELOAD_BENCH_VERIFY_SPARSE_H
#define WIDELOAD_BENCH_VERIFY_SPARSE_H

#include "bench/verify.h"

/* Compares out1 (rows) and out2 (values) with the expected ones; the expected out0 has the column starts. */
enum bench_verdict bench_verify_entries(struct bench_workspace *workspace, const struct wl_problem *problem,
                                        char *text, size_t text_size);

#endif
