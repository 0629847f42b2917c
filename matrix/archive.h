/* The arrays in an .npz file, a zip archive of NumPy's .npy files. */
#ifndef WIDELOAD_MATRIX_ARCHIVE_H
#define WIDELOAD_MATRIX_ARCHIVE_H

#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <stdio.h>

#include "base/npy/header.h"
#include "matrix/matrix.h"

/* ---------------------------------------------------------------- reading */

struct archive {
    unzFile zip;
    FILE *file;
    uint64_t size; /* of the file, in bytes */
};

/* An array whose elements are to be read next.  One of an archive is open at a time. */
struct archive_array {
    const struct archive *archive;
    const char *name; /* without .npy */
    struct npy_array npy;
};

/* Takes the descriptor over, in any case.  Messages do not name the file, here and below. */
bool archive_open(struct archive *archive, int file, uint64_t size, struct base_error *error);
bool archive_has(const struct archive *archive, const char *name);
/* Opens the array `name` and reads its header.  No array is larger than the file can hold. */
bool archive_find(const struct archive *archive, const char *name, struct archive_array *array,
                  struct base_error *error);
/* Reads all of the array's elements, in the machine's byte order, and checks the archive's checksum. */
bool archive_read(const struct archive_array *array, void *to, const struct matrix_watch *watch,
                  struct base_error *error);
void archive_forget(struct archive_array *array);
void archive_close(struct archive *archive);

/* ---------------------------------------------------------------- writing */

/* Begins an archive in an open file, which is not closed by zipClose().  NULL: no memory. */
zipFile archive_begin(FILE *file);
/* Appends an array, not compressed.  False: the file cannot be written, or there is no memory. */
bool archive_append(zipFile zip, const char *name, const char *dtype, unsigned rank, const uint64_t *shape,
                    const void *data, uint64_t bytes, const struct matrix_watch *watch);

#endif
