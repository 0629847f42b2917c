/* Sparse matrices of several kinds.  A matrix is the same in every run with the same seed. */
#ifndef WIDELOAD_BENCH_MATRICES_H
#define WIDELOAD_BENCH_MATRICES_H

#include "bench/matrix_file.h"
#include "bench/parse.h"

enum bench_matrix_kind {
    BENCH_MATRIX_UNEVEN,
    BENCH_MATRIX_UNIFORM,
    BENCH_MATRIX_RMAT,
    BENCH_MATRIX_BANDED,
    BENCH_MATRIX_LAPLACIAN_2D,
    BENCH_MATRIX_LAPLACIAN_3D,
    BENCH_MATRIX_DENSE_ROW,
    BENCH_MATRIX_HYPERSPARSE,
    BENCH_MATRIX_KINDS, /* those with names */
    BENCH_MATRIX_FILE = BENCH_MATRIX_KINDS,
};

struct bench_matrix {
    enum bench_matrix_kind kind;
    uint64_t each;          /* entries of a row; 0: the kind takes no number */
    struct bench_size size; /* dimensions 0: --size's */
    struct bench_matrix_file *file;
};

struct bench_matrices {
    struct bench_matrix *items;
    size_t count;
};

/* A matrix as CSR and COO.  Columns strictly ascend within a row. */
struct bench_sparse {
    uint64_t rows, cols, nnz;
    uint32_t *row_starts; /* rows + 1 */
    uint32_t *columns, *entry_rows, *values;
};

/* A kind's name, a line about it, and its entries of a row if none are given (0: it takes no number). */
const char *bench_matrix_name(enum bench_matrix_kind kind);
const char *bench_matrix_says(enum bench_matrix_kind kind);
uint64_t bench_matrix_each(enum bench_matrix_kind kind);

/* Refuses a number of rows and columns that the kind cannot have. */
bool bench_matrix_fits(const struct bench_matrix *matrix, uint64_t rows, uint64_t cols,
                       struct base_error *error);

/* The number of entries that bench_sparse_fill will make; UINT64_MAX: 2^32 or more (rmat: before equal ones
 * merge).  The size must fit, and rows and cols must be below 2^32 - 1. */
uint64_t bench_sparse_entries(const struct bench_matrix *matrix, uint64_t seed, uint64_t rows, uint64_t cols);
/* Fills the caller's arrays, which are sized by rows, cols and nnz.  All but row_starts may be NULL. */
void bench_sparse_fill(const struct bench_matrix *matrix, uint64_t seed, const struct bench_sparse *sparse);

/* matrix = kind [ ":" entries of a row ] [ "@" size ]      rmat, uniform:64, banded:17@2^20
 * or a file, which is read: folder/cage14.mtx.gz.  "twelve" and "twelve-small" are lists with sizes.  The
 * caller frees *out, also after a failure. */
bool bench_parse_matrices(const char *option, const char *text, struct bench_matrices *out,
                          struct base_error *error);
void bench_matrices_free(struct bench_matrices *matrices);
/* The matrices that "twelve" (small: "twelve-small") stands for. */
const char *bench_matrix_twelve(bool small);
/* "uniform:64", without the size; "cage14.mtx.gz", without the folder, in ASCII. */
void bench_matrix_text(const struct bench_matrix *matrix, char *out, size_t out_size);

#endif
