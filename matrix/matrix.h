/* Sparse matrices in files: Matrix Market's .mtx and .mtx.gz, and SciPy's .npz.  In memory they are in rows
 * (CSR).  Different matrices may be used by several threads at once. */
#ifndef WIDELOAD_MATRIX_MATRIX_H
#define WIDELOAD_MATRIX_MATRIX_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* What a value is: NumPy's letters. */
enum matrix_kind {
    MATRIX_PATTERN = 0, /* there are no values */
    MATRIX_BOOL = 'b',
    MATRIX_SIGNED = 'i',
    MATRIX_UNSIGNED = 'u',
    MATRIX_REAL = 'f',
    MATRIX_COMPLEX = 'c', /* a real and an imaginary part of width / 2 bytes each */
};

/* Row r has the entries pointers[r] to pointers[r + 1] - 1.  Entry i lies in column indices[i], from 0 on,
 * and has the value values[i].  The entries of a row are in their file's order; if several have one place,
 * all are there.  All pointers and indices are in range. */
struct matrix {
    uint64_t rows, cols;  /* at most 2^31 each, or 2^32 with indices of 8 bytes */
    uint64_t entries;     /* at most 2^31 - 1, or 2^42 with indices of 8 bytes */
    unsigned index_bytes; /* of each pointer and index: 4 or 8 */
    enum matrix_kind kind;
    unsigned width; /* bytes of a value in the machine's order: 1, 2, 4, 8 or 16; 0: a pattern */
    bool is_array;  /* in .npz: SciPy makes a csr_array of it, and otherwise a csr_matrix */
    void *pointers, *indices, *values; /* rows + 1, entries, entries; values: NULL for a pattern */
};

/* Is told of long work: `done` of `total`, in bytes of the file or in entries. */
struct matrix_watch {
    void (*show)(void *argument, const char *what, uint64_t done, uint64_t total);
    void *argument;
};

enum matrix_format { MATRIX_MARKET, MATRIX_MARKET_GZIP, MATRIX_NPZ };

/* The format that a file's name says, by its end.  False, a usage error, for any other name. */
bool matrix_format_of(enum matrix_format *format, const char *path, struct base_error *error);

/* Reads a file of the format that its name says.  Of a .mtx, integers are of 8 bytes, reals doubles, complex
 * numbers two of them, indices of 4 bytes where that is enough, and the entries of a symmetric,
 * skew-symmetric or hermitian one are there on both sides of the diagonal.  Of a .npz, all is as wide as it
 * was.  watch: may be NULL. False, with one line that names the file, the line or the array in it and what is
 * wrong; then there is nothing to free. */
bool matrix_read(struct matrix *matrix, const char *path, const struct matrix_watch *watch,
                 struct base_error *error);

/* Writes a matrix to an open file, which it does not flush, in the format that the name `path` says.  In a
 * .mtx the entries come row by row.  A .npz is a csr matrix, not compressed; a pattern gets ones.  False,
 * with one line that names the file: it cannot be written, or its format has no such values. */
bool matrix_write(const struct matrix *matrix, FILE *file, const char *path, const struct matrix_watch *watch,
                  struct base_error *error);

/* Makes the transposed matrix, in which the entries of a row are in the order of their columns. */
bool matrix_transpose(struct matrix *to, const struct matrix *from, struct base_error *error);

void matrix_free(struct matrix *matrix);

#endif
