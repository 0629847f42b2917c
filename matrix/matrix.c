#include "matrix/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "wideload.h"

/* ---------------------------------------------------------------- memory */

unsigned matrix_index_bytes(uint64_t rows, uint64_t cols, uint64_t entries) {
    return rows <= MATRIX_INDICES_OF_4 && cols <= MATRIX_INDICES_OF_4 && entries <= MATRIX_ENTRIES_OF_4 ? 4
                                                                                                        : 8;
}

void *matrix_allocate(uint64_t count, uint64_t size, struct base_error *error) {
    uint64_t bytes;
    void *memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes + !bytes);
    if (!memory)
        base_failure(error, "out of memory: %llu times %llu bytes are needed; run it where as many are free",
                     (unsigned long long)count, (unsigned long long)size);
    return memory;
}

/* All are within the library's limits, so the sum is, too. */
bool matrix_check_memory(uint64_t rows, uint64_t cols, uint64_t entries, unsigned index_bytes, unsigned width,
                         struct base_error *error) {
    const uint64_t bytes = (rows + 1 + cols + 1) * index_bytes + 2 * entries * (index_bytes + width),
                   available = base_available_memory();
    return bytes <= available ||
           base_failure(error,
                        "in rows and in columns it needs %.1f MiB of memory, and %.1f MiB are available; run "
                        "it where more are free",
                        (double)bytes / (1 << 20), (double)available / (1 << 20));
}

static bool grow(void **array, uint64_t room, unsigned size, struct base_error *error) {
    void *larger = realloc(*array, room * size + 1);
    if (!larger)
        return base_failure(error, "out of memory");
    *array = larger;
    return true;
}

bool matrix_triplets_reserve(struct matrix_triplets *triplets, uint64_t entries, struct base_error *error) {
    if (entries <= triplets->room && triplets->room)
        return true;
    const uint64_t room = entries > 2 * triplets->room ? entries : 2 * triplets->room;
    if (!grow(&triplets->row, room, triplets->index_bytes, error) ||
        !grow(&triplets->col, room, triplets->index_bytes, error) ||
        !grow(&triplets->value, room, triplets->width, error))
        return false;
    triplets->room = room;
    return true;
}

void matrix_triplets_free(struct matrix_triplets *triplets) {
    free(triplets->row);
    free(triplets->col);
    free(triplets->value);
    *triplets = (struct matrix_triplets){0};
}

void matrix_free(struct matrix *matrix) {
    free(matrix->pointers);
    free(matrix->indices);
    free(matrix->values);
    *matrix = (struct matrix){0};
}

/* ---------------------------------------------------------------- rows */

/* Allocates the arrays of a matrix whose sizes are set. */
static bool allocate_arrays(struct matrix *matrix, struct base_error *error) {
    matrix->pointers = matrix_allocate(matrix->rows + 1, matrix->index_bytes, error);
    matrix->indices = matrix->pointers ? matrix_allocate(matrix->entries, matrix->index_bytes, error) : NULL;
    matrix->values =
        matrix->indices && matrix->width ? matrix_allocate(matrix->entries, matrix->width, error) : NULL;
    return matrix->indices && (matrix->values || !matrix->width);
}

static wl_devptr address(const void *memory) {
    return (wl_devptr)(uintptr_t)memory;
}

static wl_csr csr_of(const struct matrix *matrix) {
    return (wl_csr){address(matrix->pointers), address(matrix->indices), address(matrix->values)};
}

static bool library_failed(struct base_error *error) {
    return base_failure(error, "%s", wl_message());
}

bool matrix_of_triplets(struct matrix *matrix, struct matrix_triplets *triplets,
                        const struct matrix_watch *watch, struct base_error *error) {
    const wl_sparse_shape shape = {triplets->rows, triplets->cols, triplets->entries, triplets->index_bytes,
                                   triplets->width};
    wl_context *context = NULL;
    matrix->rows = triplets->rows;
    matrix->cols = triplets->cols;
    matrix->entries = triplets->entries;
    matrix->index_bytes = triplets->index_bytes;
    matrix->width = triplets->width;
    matrix_show(watch, "sorts", 0, triplets->entries);
    bool good = allocate_arrays(matrix, error);
    if (good) {
        const wl_csr to = csr_of(matrix);
        good = (wl_open(&context, "host") == WL_ERROR_OK &&
                wl_coo_to_csr(context, &shape, &to, address(triplets->row), address(triplets->col),
                              address(triplets->value), 0, 0, NULL) == WL_ERROR_OK) ||
               library_failed(error);
    }
    wl_close(context);
    matrix_triplets_free(triplets);
    if (!good)
        matrix_free(matrix);
    return good;
}

bool matrix_transpose(struct matrix *to, const struct matrix *from, struct base_error *error) {
    const wl_sparse_shape shape = {from->rows, from->cols, from->entries, from->index_bytes, from->width};
    wl_context *context = NULL;
    *to = *from;
    to->rows = from->cols;
    to->cols = from->rows;
    to->pointers = to->indices = to->values = NULL;
    bool good = allocate_arrays(to, error);
    if (good) {
        const wl_csr transposed = csr_of(to), matrix = csr_of(from);
        good = (wl_open(&context, "host") == WL_ERROR_OK &&
                wl_csr_transpose(context, &shape, &transposed, &matrix, 0, 0, NULL) == WL_ERROR_OK) ||
               library_failed(error);
    }
    wl_close(context);
    if (!good)
        matrix_free(to);
    return good;
}

/* ---------------------------------------------------------------- files */

void matrix_show(const struct matrix_watch *watch, const char *what, uint64_t done, uint64_t total) {
    if (watch)
        watch->show(watch->argument, what, done, total);
}

bool matrix_format_of(enum matrix_format *format, const char *path, struct base_error *error) {
    static const char *const ends[] = {".mtx", ".mtx.gz", ".npz"};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(path), end = strlen(ends[i]);
        *format = (enum matrix_format)i;
        if (length >= end && strcmp(path + length - end, ends[i]) == 0)
            return true;
    }
    return base_usage(error, "%.400s: its name ends in none of .mtx, .mtx.gz and .npz, which say its format",
                      path);
}

bool matrix_read(struct matrix *matrix, const char *path, const struct matrix_watch *watch,
                 struct base_error *error) {
    enum matrix_format format;
    struct stat status;
    if (!matrix_format_of(&format, path, error))
        return false;
    /* O_NONBLOCK: opening a pipe would wait for its writer, only to refuse it. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status)) {
        base_usage(error, "%.400s cannot be opened: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        close(file);
        return base_usage(error, "%.400s is no regular file", path);
    }
    struct base_error reason;
    return (format == MATRIX_NPZ ? npz_read : market_read)(matrix, file, (uint64_t)status.st_size, watch,
                                                           &reason) ||
           base_failure(error, "%.400s: %s", path, reason.text);
}

bool matrix_write(const struct matrix *matrix, FILE *file, const char *path, const struct matrix_watch *watch,
                  struct base_error *error) {
    enum matrix_format format;
    struct base_error reason;
    if (!matrix_format_of(&format, path, error))
        return false;
    const bool good = format == MATRIX_NPZ
                          ? npz_write(matrix, file, watch, &reason)
                          : market_write(matrix, format == MATRIX_MARKET_GZIP, file, watch, &reason);
    return good || base_failure(error, "%.400s: %s", path, reason.text);
}
