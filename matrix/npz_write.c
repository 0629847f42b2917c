/* Writes SciPy's .npz: a csr matrix, as save_npz(compressed=False) writes it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/archive.h"
#include "matrix/internal.h"

/* A type as a header names it. */
static const char *dtype_of(char text[16], enum matrix_kind kind, unsigned width) {
    snprintf(text, 16, "'%c%c%u'", width == 1 ? '|' : '<', kind, width);
    return text;
}

static bool write_arrays(zipFile zip, const struct matrix *matrix, const void *values,
                         const struct matrix_watch *watch) {
    const unsigned bytes = matrix->index_bytes, width = matrix->width ? matrix->width : sizeof(double);
    const enum matrix_kind kind = matrix->width ? matrix->kind : MATRIX_REAL;
    const uint64_t pointers = matrix->rows + 1, entries = matrix->entries, two = 2;
    const int64_t shape[2] = {(int64_t)matrix->rows, (int64_t)matrix->cols};
    const bool truth = true;
    char index[16], value[16];
    dtype_of(index, MATRIX_SIGNED, bytes);
    dtype_of(value, kind, width);
    return archive_append(zip, "indices", index, 1, &entries, matrix->indices, entries * bytes, watch) &&
           archive_append(zip, "indptr", index, 1, &pointers, matrix->pointers, pointers * bytes, watch) &&
           archive_append(zip, "format", "'|S3'", 0, NULL, "csr", 3, NULL) &&
           archive_append(zip, "shape", "'<i8'", 1, &two, shape, sizeof shape, NULL) &&
           archive_append(zip, "data", value, 1, &entries, values, entries * width, watch) &&
           (!matrix->is_array || archive_append(zip, "_is_array", "'|b1'", 0, NULL, &truth, 1, NULL));
}

/* What SciPy makes of a pattern. */
static double *make_ones(uint64_t count, struct base_error *error) {
    double *ones = matrix_allocate(count, sizeof *ones, error);
    for (uint64_t i = 0; ones && i < count; i++)
        ones[i] = 1;
    return ones;
}

bool npz_write(const struct matrix *matrix, FILE *file, const struct matrix_watch *watch,
               struct base_error *error) {
    double *ones = matrix->width ? NULL : make_ones(matrix->entries, error);
    if (!ones && !matrix->width)
        return false;
    errno = 0;
    zipFile zip = archive_begin(file);
    bool good = zip && write_arrays(zip, matrix, ones ? (const void *)ones : matrix->values, watch);
    good = zip && zipClose(zip, NULL) == ZIP_OK && good;
    free(ones);
    return good || base_failure(error, "it cannot be written: %s", strerror(errno ? errno : EIO));
}
