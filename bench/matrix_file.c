#include "bench/matrix_file.h"

#include <stdlib.h>
#include <string.h>

#include "bench/parallel.h"
#include "matrix/matrix.h"

bool bench_is_matrix_file(const char *text) {
    enum matrix_format format;
    struct base_error unused;
    return matrix_format_of(&format, text, &unused) || strchr(text, '/') != NULL;
}

/* ---------------------------------------------------------------- rows whose columns strictly ascend */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_rows(void *argument, uint64_t first, uint64_t last) {
    const struct bench_matrix_file *file = argument;
    for (uint64_t row = first; row < last; row++) {
        uint32_t *columns = file->columns + file->row_starts[row];
        uint32_t count = file->row_starts[row + 1] - file->row_starts[row], i = 1;
        while (i < count && columns[i - 1] < columns[i])
            i++;
        if (i < count)
            qsort(columns, count, sizeof *columns, ascending);
    }
}

/* Entries only move to the front, so this needs no second array. */
static void merge_equal(struct bench_matrix_file *file) {
    uint32_t kept = 0, begin = 0;
    for (uint64_t row = 0; row < file->rows; row++) {
        uint32_t end = file->row_starts[row + 1], mine = kept;
        for (uint32_t e = begin; e < end; e++)
            if (kept == mine || file->columns[kept - 1] != file->columns[e])
                file->columns[kept++] = file->columns[e];
        begin = end;
        file->row_starts[row + 1] = kept;
    }
}

/* ---------------------------------------------------------------- reading */

static void narrow(uint32_t *to, const void *from, uint64_t count, unsigned bytes) {
    if (bytes == 4)
        memcpy(to, from, 4 * count);
    else
        for (uint64_t i = 0; i < count; i++)
            to[i] = (uint32_t)((const uint64_t *)from)[i];
}

static bool take(const char *option, const char *path, const struct matrix *matrix,
                 struct bench_matrix_file *file, struct base_error *error) {
    if (matrix->rows >= UINT32_MAX || matrix->cols >= UINT32_MAX || matrix->entries > UINT32_MAX)
        return base_usage(error,
                          "%s: %.300s has 2^32 - 1 rows, columns or entries, or more: indices have 32 bits",
                          option, path);
    *file = (struct bench_matrix_file){strdup(path), matrix->rows, matrix->cols,
                                       malloc(4 * (matrix->rows + 1)), malloc(4 * matrix->entries + 4)};
    if (!file->path || !file->row_starts || !file->columns)
        return base_failure(error, "%s: %.300s: out of memory", option, path);
    narrow(file->row_starts, matrix->pointers, matrix->rows + 1, matrix->index_bytes);
    narrow(file->columns, matrix->indices, matrix->entries, matrix->index_bytes);
    bench_parallel(file->rows, 1 << 12, sort_rows, file);
    merge_equal(file);
    return true;
}

bool bench_matrix_file_read(const char *option, const char *path, struct bench_matrix_file **out,
                            struct base_error *error) {
    struct matrix matrix;
    *out = NULL;
    if (!matrix_read(&matrix, path, NULL, error))
        return false;
    *out = calloc(1, sizeof **out);
    bool right = *out ? take(option, path, &matrix, *out, error)
                      : base_failure(error, "%s: %.300s: out of memory", option, path);
    matrix_free(&matrix);
    if (!right) {
        bench_matrix_file_free(*out);
        *out = NULL;
    }
    return right;
}

void bench_matrix_file_free(struct bench_matrix_file *file) {
    if (!file)
        return;
    free(file->path);
    free(file->row_starts);
    free(file->columns);
    free(file);
}
