/* Reads SciPy's .npz: csr, csc and coo matrices, as save_npz() writes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/archive.h"
#include "matrix/internal.h"

struct npz {
    struct archive archive;
    const struct matrix_watch *watch;
    char format[8];
    bool is_array;
    uint64_t rows, cols;
};

static bool refuse_type(const struct archive_array *array, const char *what, struct base_error *error) {
    char shape[NPY_SHAPE_TEXT];
    return base_failure(error, "its '%s' is of type %.60s and shape %s, and should be %s", array->name,
                        array->npy.dtype.text, npy_shape_text(&array->npy, shape), what);
}

/* ---------------------------------------------------------------- small arrays */

/* Reads an array of a few bytes, to at most `room`, if `is_right` says that it is as it should be. */
static bool read_small(const struct npz *npz, const char *name, struct archive_array *array, void *to,
                       size_t room, bool (*is_right)(const struct npy_array *npy), const char *what,
                       struct base_error *error) {
    if (!archive_find(&npz->archive, name, array, error))
        return false;
    const bool good = (is_right(&array->npy) && array->npy.bytes <= room) || refuse_type(array, what, error);
    return (good && archive_read(array, to, array->npy.elements, NULL, error)) ||
           (archive_forget(array), false);
}

static bool is_name(const struct npy_array *npy) {
    return npy->elements == 1 && (npy->dtype.kind == 'S' || npy->dtype.kind == 'U');
}

static bool read_format(struct npz *npz, struct base_error *error) {
    static const char *const known[] = {"csr", "csc", "coo"};
    struct archive_array array;
    unsigned char text[64] = {0};
    if (!read_small(npz, "format", &array, text, sizeof text - 1, is_name, "a name", error))
        return false;
    const size_t each = array.npy.dtype.kind == 'U' ? 4 : 1;
    for (size_t i = 0; i < sizeof npz->format - 1 && i * each < sizeof text; i++)
        npz->format[i] = (char)(text[i * each] > ' ' && text[i * each] <= '~' ? text[i * each] : 0);
    archive_forget(&array);
    for (int i = 0; i < 3; i++)
        if (strcmp(npz->format, known[i]) == 0)
            return true;
    return base_failure(error, "its format is '%s'; csr, csc and coo can be read", npz->format);
}

static bool is_integer(const struct npy_array *npy) {
    return (npy->dtype.kind == 'i' || npy->dtype.kind == 'u') &&
           (npy->dtype.bytes == 4 || npy->dtype.bytes == 8);
}

static bool is_pair(const struct npy_array *npy) {
    return is_integer(npy) && npy->rank == 1 && npy->elements == 2;
}

static bool read_shape(struct npz *npz, struct base_error *error) {
    struct archive_array array;
    uint64_t sizes[2];
    if (!read_small(npz, "shape", &array, sizes, sizeof sizes, is_pair, "two integers", error))
        return false;
    npz->rows = matrix_index(sizes, (unsigned)array.npy.dtype.bytes, 0);
    npz->cols = matrix_index(sizes, (unsigned)array.npy.dtype.bytes, 1);
    archive_forget(&array);
    return (npz->rows <= MATRIX_MOST_INDICES && npz->cols <= MATRIX_MOST_INDICES) ||
           base_failure(error, "its shape is (%lld, %lld); at most 2^32 rows and columns can be read",
                        (long long)npz->rows, (long long)npz->cols);
}

static bool is_truth(const struct npy_array *npy) {
    return npy->dtype.kind == 'b' && npy->elements == 1;
}

static bool read_is_array(struct npz *npz, struct base_error *error) {
    struct archive_array array;
    unsigned char truth = 0;
    if (!archive_has(&npz->archive, "_is_array"))
        return true;
    if (!read_small(npz, "_is_array", &array, &truth, 1, is_truth, "True or False", error))
        return false;
    archive_forget(&array);
    npz->is_array = truth;
    return true;
}

/* ---------------------------------------------------------------- indices and values */

/* An array of one dimension.  It is opened, so that its length is known before there is memory for it, and
 * then read. */
struct vector {
    struct archive_array array;
    void *data;
    uint64_t count;
    unsigned bytes; /* of an element */
    char kind;
};

static bool open_vector(const struct npz *npz, const char *name,
                        bool (*is_right)(const struct npy_array *npy), const char *what,
                        struct vector *vector, struct base_error *error) {
    const struct npy_array *npy = &vector->array.npy;
    if (!archive_find(&npz->archive, name, &vector->array, error))
        return false;
    vector->count = npy->elements;
    vector->bytes = (unsigned)npy->dtype.bytes;
    vector->kind = npy->dtype.kind;
    return (npy->rank == 1 && is_right(npy)) || refuse_type(&vector->array, what, error);
}

static bool open_integers(const struct npz *npz, const char *name, struct vector *vector,
                          struct base_error *error) {
    return open_vector(npz, name, is_integer, "integers of 32 or 64 bits in one dimension", vector, error);
}

/* Those that NumPy has on each machine. */
static bool is_number(const struct npy_array *npy) {
    const uint64_t bytes = npy->dtype.bytes;
    const char kind = npy->dtype.kind;
    return kind && strchr("biufc", kind) && bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

static bool open_values(const struct npz *npz, struct vector *vector, struct base_error *error) {
    return open_vector(npz, "data", is_number, "numbers of 1, 2, 4, 8 or 16 bytes in one dimension", vector,
                       error);
}

/* Reads the first `count` items, and closes the array. */
static bool read_vector(const struct npz *npz, struct vector *vector, uint64_t count,
                        struct base_error *error) {
    vector->data = matrix_allocate(count, vector->bytes, error);
    const bool good = vector->data && archive_read(&vector->array, vector->data, count, npz->watch, error);
    vector->count = count;
    archive_forget(&vector->array);
    return good;
}

static void free_vector(struct vector *vector) {
    archive_forget(&vector->array);
    free(vector->data);
}

static bool widen(struct vector *vector, unsigned bytes, struct base_error *error) {
    if (vector->bytes == bytes)
        return true;
    uint64_t *wide = matrix_allocate(vector->count, bytes, error);
    if (!wide)
        return false;
    for (uint64_t i = 0; i < vector->count; i++)
        wide[i] = ((const uint32_t *)vector->data)[i];
    free(vector->data);
    vector->data = wide;
    vector->bytes = bytes;
    return true;
}

/* An index as it stands in the file. */
struct index_text {
    char text[24];
};

static struct index_text as_written(const struct vector *vector, uint64_t i) {
    const uint64_t index = matrix_index(vector->data, vector->bytes, i);
    struct index_text written;
    if (vector->kind == 'u')
        snprintf(written.text, sizeof written.text, "%llu", (unsigned long long)index);
    else
        snprintf(written.text, sizeof written.text, "%lld",
                 vector->bytes == 4 ? (long long)(int32_t)index : (long long)index);
    return written;
}

static bool check_indices(const struct vector *vector, const char *name, uint64_t most,
                          struct base_error *error) {
    for (uint64_t i = 0; i < vector->count; i++)
        if (matrix_index(vector->data, vector->bytes, i) >= most)
            return most ? base_failure(error, "its '%s' has %s at %llu, which is not among 0 to %llu", name,
                                       as_written(vector, i).text, (unsigned long long)i,
                                       (unsigned long long)most - 1)
                        : base_failure(error, "its '%s' has %s at %llu, but its shape leaves no place for it",
                                       name, as_written(vector, i).text, (unsigned long long)i);
    return true;
}

/* Brings both arrays of indices to one width, which is the wider one's, or what the sizes need. */
static bool same_width(struct vector *a, struct vector *b, const struct npz *npz, uint64_t entries,
                       struct base_error *error) {
    const unsigned least = matrix_index_bytes(npz->rows, npz->cols, entries);
    const unsigned bytes = a->bytes == 8 || b->bytes == 8 ? 8 : least;
    return widen(a, bytes, error) && widen(b, bytes, error);
}

/* Whether there is memory for this, before there is any. */
static bool check_memory(const struct npz *npz, const struct vector *a, const struct vector *b,
                         const struct vector *values, uint64_t entries, struct base_error *error) {
    const unsigned least = matrix_index_bytes(npz->rows, npz->cols, entries);
    return (entries <= MATRIX_MOST_ENTRIES || base_failure(error, "more than 2^42 entries cannot be read")) &&
           matrix_check_memory(npz->rows, npz->cols, entries, a->bytes == 8 || b->bytes == 8 ? 8 : least,
                               values->bytes, error);
}

/* ---------------------------------------------------------------- the formats */

struct arrays {
    struct vector first, second, values; /* csr, csc: pointers and indices; coo: rows and columns */
};

static struct matrix matrix_of(const struct npz *npz, const struct arrays *arrays) {
    return (struct matrix){.index_bytes = arrays->first.bytes,
                           .kind = (enum matrix_kind)arrays->values.kind,
                           .width = arrays->values.bytes,
                           .is_array = npz->is_array};
}

static bool check_pointers(const struct vector *pointers, uint64_t rows, struct base_error *error) {
    uint64_t before = 0;
    for (uint64_t i = 0; i <= rows; i++) {
        const uint64_t pointer = matrix_index(pointers->data, pointers->bytes, i);
        if (pointer < before || pointer > INT64_MAX || (i == 0 && pointer) ||
            (pointers->bytes == 4 && pointer > INT32_MAX))
            return base_failure(error, "its 'indptr' does not ascend from 0: it has %s at %llu",
                                as_written(pointers, i).text, (unsigned long long)i);
        before = pointer;
    }
    return true;
}

/* Opens all arrays, and reads the pointers. */
static bool begin_pointers(const struct npz *npz, uint64_t rows, struct arrays *arrays,
                           struct base_error *error) {
    struct vector *pointers = &arrays->first;
    if (!open_integers(npz, "indptr", pointers, error) ||
        !open_integers(npz, "indices", &arrays->second, error) || !open_values(npz, &arrays->values, error))
        return false;
    if (pointers->count != rows + 1)
        return base_failure(error, "its 'indptr' has %llu items, and %llu by its shape",
                            (unsigned long long)pointers->count, (unsigned long long)rows + 1);
    return check_memory(npz, pointers, &arrays->second, &arrays->values, 0, error) &&
           read_vector(npz, pointers, rows + 1, error) && check_pointers(pointers, rows, error);
}

/* Reads csr, or csc as the csr of the transposed matrix. */
static bool read_pointers(const struct npz *npz, uint64_t rows, uint64_t cols, struct arrays *arrays,
                          struct matrix *matrix, struct base_error *error) {
    struct vector *pointers = &arrays->first, *indices = &arrays->second, *values = &arrays->values;
    if (!begin_pointers(npz, rows, arrays, error))
        return false;
    const uint64_t entries = matrix_index(pointers->data, pointers->bytes, rows);
    if (indices->count < entries || values->count < entries)
        return base_failure(error,
                            "its 'indices' and 'data' have %llu and %llu items, and %llu by its 'indptr'",
                            (unsigned long long)indices->count, (unsigned long long)values->count,
                            (unsigned long long)entries);
    if (!check_memory(npz, pointers, indices, values, entries, error) ||
        !read_vector(npz, indices, entries, error) || !check_indices(indices, "indices", cols, error) ||
        !read_vector(npz, values, entries, error) || !same_width(pointers, indices, npz, entries, error))
        return false;
    *matrix = matrix_of(npz, arrays);
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->entries = entries;
    matrix->pointers = pointers->data;
    matrix->indices = indices->data;
    matrix->values = arrays->values.data;
    *arrays = (struct arrays){0};
    return true;
}

static bool read_columns(const struct npz *npz, struct arrays *arrays, struct matrix *matrix,
                         struct base_error *error) {
    struct matrix transposed;
    if (!read_pointers(npz, npz->cols, npz->rows, arrays, &transposed, error))
        return false;
    const bool good = matrix_transpose(matrix, &transposed, error);
    matrix_free(&transposed);
    return good;
}

static bool read_triplets(const struct npz *npz, struct arrays *arrays, struct matrix *matrix,
                          struct base_error *error) {
    struct vector *rows = &arrays->first, *cols = &arrays->second, *values = &arrays->values;
    if (!open_integers(npz, "row", rows, error) || !open_integers(npz, "col", cols, error) ||
        !open_values(npz, values, error))
        return false;
    const uint64_t entries = rows->count;
    if (cols->count != entries || values->count != entries)
        return base_failure(error, "its 'row', 'col' and 'data' have %llu, %llu and %llu items",
                            (unsigned long long)entries, (unsigned long long)cols->count,
                            (unsigned long long)values->count);
    if (!check_memory(npz, rows, cols, values, entries, error) || !read_vector(npz, rows, entries, error) ||
        !check_indices(rows, "row", npz->rows, error) || !read_vector(npz, cols, entries, error) ||
        !check_indices(cols, "col", npz->cols, error) || !read_vector(npz, values, entries, error) ||
        !same_width(rows, cols, npz, entries, error))
        return false;
    struct matrix_triplets triplets = {.rows = npz->rows,
                                       .cols = npz->cols,
                                       .entries = entries,
                                       .index_bytes = rows->bytes,
                                       .width = arrays->values.bytes,
                                       .row = rows->data,
                                       .col = cols->data,
                                       .value = arrays->values.data};
    *matrix = matrix_of(npz, arrays);
    *arrays = (struct arrays){0};
    return matrix_of_triplets(matrix, &triplets, npz->watch, error);
}

static bool read_all(struct npz *npz, struct arrays *arrays, struct matrix *matrix,
                     struct base_error *error) {
    if (!read_format(npz, error) || !read_shape(npz, error) || !read_is_array(npz, error))
        return false;
    return strcmp(npz->format, "coo") == 0 ? read_triplets(npz, arrays, matrix, error)
           : strcmp(npz->format, "csc") == 0
               ? read_columns(npz, arrays, matrix, error)
               : read_pointers(npz, npz->rows, npz->cols, arrays, matrix, error);
}

bool npz_read(struct matrix *matrix, int file, uint64_t size, const struct matrix_watch *watch,
              struct base_error *error) {
    struct npz npz = {.watch = watch};
    struct arrays arrays = {0};
    const bool good = archive_open(&npz.archive, file, size, error) && read_all(&npz, &arrays, matrix, error);
    free_vector(&arrays.first);
    free_vector(&arrays.second);
    free_vector(&arrays.values);
    archive_close(&npz.archive);
    return good;
}
