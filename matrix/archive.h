/* The arrays in an .npz file, a zip archive of NumPy's .npy files.  libzip could read these, too, but needs
 * OpenSSL, and Debian's minizip cannot read what lies beyond 4 GiB. */
#ifndef WIDELOAD_MATRIX_ARCHIVE_H
#define WIDELOAD_MATRIX_ARCHIVE_H

#include <stdio.h>
#include <zlib.h>

#include "base/npy/header.h"
#include "matrix/matrix.h"

enum {
    ARCHIVE_LOCAL = 30,   /* bytes of the header before a member's name and extra field */
    ARCHIVE_CENTRAL = 46, /* of a member in the directory, before its name */
    ARCHIVE_END = 22,     /* of the archive's end, before its comment */
    ARCHIVE_LOCATOR = 20, /* of what lies before it and says where the end of 64 bits is */
    ARCHIVE_END_64 = 56,
    ARCHIVE_VERSION_64 = 45, /* of the format: with sizes of 64 bits */
};

/* ---------------------------------------------------------------- reading */

struct archive {
    int file;
    uint64_t size; /* of the file, in bytes */
    unsigned char *directory;
    size_t directory_bytes;
};

/* An array whose elements are to be read next. */
struct archive_array {
    const struct archive *archive;
    const char *name; /* without .npy */
    struct npy_array npy;

    /* The member: its place in the file, and what is left of it. */
    uint64_t offset, packed, size; /* packed: bytes in the file */
    uint32_t expected, checksum;
    bool is_deflated;
    unsigned char *input; /* if it is deflated: a part of the file, which the stream takes */
    z_stream stream;
};

/* How many bytes are read between two reports; less than 2^32.  Tests set it lower. */
extern uint64_t archive_at_once;

/* Takes the descriptor over, in any case.  Messages do not name the file, here and below. */
bool archive_open(struct archive *archive, int file, uint64_t size, struct base_error *error);
bool archive_has(const struct archive *archive, const char *name);
/* Opens the array `name` and reads its header.  No array is larger than the file can hold. */
bool archive_find(const struct archive *archive, const char *name, struct archive_array *array,
                  struct base_error *error);
/* Reads the array's first `elements` elements, in the machine's byte order, and compares the archive's
 * checksum. */
bool archive_read(struct archive_array *array, void *to, uint64_t elements, const struct matrix_watch *watch,
                  struct base_error *error);
void archive_forget(struct archive_array *array);
void archive_close(struct archive *archive);

/* ---------------------------------------------------------------- writing */

enum { ARCHIVE_MOST_MEMBERS = 8 };

struct archive_writer {
    FILE *file;
    uint64_t offset; /* bytes that were written */
    size_t count;
    struct archive_member {
        char name[24]; /* with .npy */
        uint64_t offset, size;
        uint32_t checksum;
    } members[ARCHIVE_MOST_MEMBERS];
    const struct matrix_watch *watch;
};

/* Appends an array, not compressed.  False: the file cannot be written, or there is no memory. */
bool archive_append(struct archive_writer *writer, const char *name, const char *dtype, unsigned rank,
                    const uint64_t *shape, const void *data, uint64_t bytes);
/* Appends a .npy file: its header, and its data. */
bool archive_append_file(struct archive_writer *writer, const char *name, const void *header, size_t length,
                         const void *data, uint64_t bytes);
/* Writes the directory. */
bool archive_end(struct archive_writer *writer);

#endif
