/* What matrix/'s files share. */
#ifndef WIDELOAD_MATRIX_INTERNAL_H
#define WIDELOAD_MATRIX_INTERNAL_H

#include <stddef.h>

#include "matrix/matrix.h"

/* The library's limits. */
#define MATRIX_MOST_INDICES ((uint64_t)1 << 32)
#define MATRIX_MOST_ENTRIES ((uint64_t)1 << 42)
#define MATRIX_INDICES_OF_4 ((uint64_t)1 << 31)
#define MATRIX_ENTRIES_OF_4 (((uint64_t)1 << 31) - 1)

/* Entries in the order of a file. */
struct matrix_triplets {
    uint64_t rows, cols, entries, room;
    unsigned index_bytes, width;
    void *row, *col, *value;
};

/* 4 where that is enough. */
unsigned matrix_index_bytes(uint64_t rows, uint64_t cols, uint64_t entries);

/* Whether the memory that is available holds a matrix and its transpose, which need no less than twice the
 * entries of a file: once in its order, and once in rows.  More is refused before it is touched, as the
 * system may grant what it does not have. */
bool matrix_check_memory(uint64_t rows, uint64_t cols, uint64_t entries, unsigned index_bytes, unsigned width,
                         struct base_error *error);
/* Memory for `count` items of `size` bytes.  NULL, with the reason. */
void *matrix_allocate(uint64_t count, uint64_t size, struct base_error *error);

/* Makes room for `entries` in all, and more if it has to grow. */
bool matrix_triplets_reserve(struct matrix_triplets *triplets, uint64_t entries, struct base_error *error);
void matrix_triplets_free(struct matrix_triplets *triplets);

/* Makes rows of them, in `matrix` with all but its sizes and arrays set.  Frees them in any case. */
bool matrix_of_triplets(struct matrix *matrix, struct matrix_triplets *triplets,
                        const struct matrix_watch *watch, struct base_error *error);

void matrix_show(const struct matrix_watch *watch, const char *what, uint64_t done, uint64_t total);

/* Pointers or indices: the i-th. */
static inline uint64_t matrix_index(const void *array, unsigned bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* A file's format.  Messages do not name the file.  Each reader takes the descriptor over, in any case; size:
 * of the file, in bytes. */
bool market_read(struct matrix *matrix, int file, uint64_t size, const struct matrix_watch *watch,
                 struct base_error *error);
bool market_write(const struct matrix *matrix, bool compresses, FILE *file, const struct matrix_watch *watch,
                  struct base_error *error);
bool npz_read(struct matrix *matrix, int file, uint64_t size, const struct matrix_watch *watch,
              struct base_error *error);
bool npz_write(const struct matrix *matrix, FILE *file, const struct matrix_watch *watch,
               struct base_error *error);

#endif
