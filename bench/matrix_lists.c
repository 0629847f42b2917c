/* Parses --matrix, and names a matrix. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "bench/list.h"
#include "bench/matrices.h"

/* The last four: 64 wide rows, a full row, few columns, hardly any entries. */
const char *bench_matrix_twelve(bool small) {
    return small ? "uniform:16@2^12,uniform:64@2^12,uniform:16@2^14,rmat@2^12,rmat@2^13,banded:17@2^12,"
                   "laplacian2d@2^14,laplacian3d@2^12,uniform:2^10@64x2^12,dense-row@2^12,"
                   "uniform:16@2^12x1000,hypersparse@2^16"
                 : "uniform:16@2^20,uniform:64@2^20,uniform:16@2^22,rmat@2^20,rmat@2^22,banded:17@2^20,"
                   "laplacian2d@2^24,laplacian3d@2^24,uniform:2^18@64x2^20,dense-row@2^20,"
                   "uniform:16@2^20x1000,hypersparse@2^24";
}

static bool find_kind(const char *option, const char *name, struct bench_matrix *out,
                      struct base_error *error) {
    const char *names[BENCH_MATRIX_KINDS + 2] = {[BENCH_MATRIX_KINDS] = "twelve", "twelve-small"};
    for (unsigned kind = 0; kind < BENCH_MATRIX_KINDS; kind++) {
        names[kind] = bench_matrix_name((enum bench_matrix_kind)kind);
        if (strcmp(name, names[kind]) == 0) {
            out->kind = (enum bench_matrix_kind)kind;
            return true;
        }
    }
    if (strcmp(name, "twelve") == 0 || strcmp(name, "twelve-small") == 0)
        return base_usage(
            error, "%s: '%s' is a list, whose items have sizes and numbers of their own; give it alone",
            option, name);
    if (bench_is_matrix_file(name))
        return base_usage(error, "%s: %.300s: a file has its own size; give it without '@' and ':'", option,
                          name);
    const char *near = base_nearest(name, names, BENCH_MATRIX_KINDS + 2);
    return base_usage(error,
                      "%s: no matrix '%.40s'%s%s%s; give a file, or one of `wideload list csr-transpose`",
                      option, name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* kind [ ":" number ] */
static bool parse_kind(const char *option, const char *text, struct bench_matrix *out,
                       struct base_error *error) {
    const char *number;
    char *name = bench_cut(text, ':', &number);
    if (!name)
        return base_failure(error, "%s: out of memory", option);
    bool right = find_kind(option, name, out, error);
    free(name);
    if (!right)
        return false;
    out->each = bench_matrix_each(out->kind);
    if (!number)
        return true;
    if (!out->each)
        return base_usage(error, "%s: %s takes no number of entries", option, bench_matrix_name(out->kind));
    return bench_parse_number(option, number, &out->each, error) &&
           ((out->each && out->each <= UINT32_MAX) ||
            base_usage(error, "%s: '%.40s': a row has 1 to 2^32 - 1 entries", option, text));
}

static bool parse_matrix(const char *option, const char *text, struct bench_matrix *out,
                         struct base_error *error) {
    const char *size;
    char *kind = bench_cut(text, '@', &size);
    *out = (struct bench_matrix){0};
    bool right =
        kind ? parse_kind(option, kind, out, error) : base_failure(error, "%s: out of memory", option);
    free(kind);
    return right && (!size || bench_parse_size(option, size, &out->size, error));
}

static bool read_file(const char *option, const char *path, struct bench_matrix *out,
                      struct base_error *error) {
    *out = (struct bench_matrix){.kind = BENCH_MATRIX_FILE};
    if (!bench_matrix_file_read(option, path, &out->file, error))
        return false;
    out->size = (struct bench_size){.dimensions = 2, .extent = {out->file->rows, out->file->cols}};
    return true;
}

static bool same(const struct bench_matrix *a, const struct bench_matrix *b) {
    return !a->file && a->kind == b->kind && a->each == b->each && a->size.dimensions == b->size.dimensions &&
           memcmp(a->size.extent, b->size.extent, sizeof a->size.extent) == 0;
}

static bool take_matrix(const char *option, const char *piece, void *into, struct base_error *error) {
    struct bench_matrices *list = into;
    struct bench_matrix matrix;
    bool small = strcmp(piece, "twelve-small") == 0;
    if (small || strcmp(piece, "twelve") == 0)
        return bench_list_each(option, bench_matrix_twelve(small), take_matrix, list, error);
    if (!(bench_is_matrix_file(piece) ? read_file : parse_matrix)(option, piece, &matrix, error))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (same(&list->items[i], &matrix))
            return true;
    struct bench_matrix *items = bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items) {
        bench_matrix_file_free(matrix.file);
        return false;
    }
    list->items = items;
    items[list->count++] = matrix;
    return true;
}

bool bench_parse_matrices(const char *option, const char *text, struct bench_matrices *out,
                          struct base_error *error) {
    *out = (struct bench_matrices){0};
    return bench_list_each(option, text, take_matrix, out, error);
}

void bench_matrices_free(struct bench_matrices *matrices) {
    for (size_t i = 0; i < matrices->count; i++)
        bench_matrix_file_free(matrices->items[i].file);
    free(matrices->items);
    *matrices = (struct bench_matrices){0};
}

void bench_matrix_text(const struct bench_matrix *matrix, char *out, size_t out_size) {
    if (matrix->file) {
        const char *folder = strrchr(matrix->file->path, '/');
        snprintf(out, out_size, "%s", folder ? folder + 1 : matrix->file->path);
        for (char *c = out; *c; c++)
            if (*c <= ' ' || *c > '~')
                *c = '?';
    } else if (matrix->each)
        snprintf(out, out_size, "%s:%" PRIu64, bench_matrix_name(matrix->kind), matrix->each);
    else
        snprintf(out, out_size, "%s", bench_matrix_name(matrix->kind));
}
