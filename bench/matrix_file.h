/* The entries of a sparse matrix in a file. */
#ifndef WIDELOAD_BENCH_MATRIX_FILE_H
#define WIDELOAD_BENCH_MATRIX_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Columns strictly ascend within a row. */
struct bench_matrix_file {
    char *path;
    uint64_t rows, cols;
    uint32_t *row_starts, *columns; /* rows + 1; row_starts[rows] */
};

/* Whether --matrix's text names a file: it has a folder, or one of the endings. */
bool bench_is_matrix_file(const char *text);

/* Reads where the entries of a .mtx, .mtx.gz or .npz are.  Those of one place merge.  The caller frees *out.
 * False: the error's one line names the file; there is nothing to free. */
bool bench_matrix_file_read(const char *option, const char *path, struct bench_matrix_file **out,
                            struct base_error *error);
/* NULL is nothing to free. */
void bench_matrix_file_free(struct bench_matrix_file *file);

#endif
