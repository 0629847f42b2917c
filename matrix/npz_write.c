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

static bool write_arrays(struct archive_writer *writer, const struct matrix *matrix, const void *values) {
    const unsigned bytes = matrix->index_bytes, width = matrix->width ? matrix->width : sizeof(double);
    const enum matrix_kind kind = matrix->width ? matrix->kind : MATRIX_REAL;
    const uint64_t pointers = matrix->rows + 1, entries = matrix->entries, two = 2;
    const int64_t shape[2] = {(int64_t)matrix->rows, (int64_t)matrix->cols};
    const bool truth = true;
    char index[16], value[16];
    dtype_of(index, MATRIX_SIGNED, bytes);
    dtype_of(value, kind, width);
    return archive_append(writer, "indices", index, 1, &entries, matrix->indices, entries * bytes) &&
           archive_append(writer, "indptr", index, 1, &pointers, matrix->pointers, pointers * bytes) &&
           archive_append(writer, "format", "'|S3'", 0, NULL, "csr", 3) &&
           archive_append(writer, "shape", "'<i8'", 1, &two, shape, sizeof shape) &&
           archive_append(writer, "data", value, 1, &entries, values, entries * width) &&
           (!matrix->is_array || archive_append(writer, "_is_array", "'|b1'", 0, NULL, &truth, 1));
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
    struct archive_writer writer = {.file = file, .watch = watch};
    const bool good =
        write_arrays(&writer, matrix, ones ? (const void *)ones : matrix->values) && archive_end(&writer);
    free(ones);
    return good || base_failure(error, "it cannot be written: %s", strerror(errno ? errno : EIO));
}
