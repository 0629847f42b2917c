/* The headers of NumPy's .npy files, format 1.0, 2.0 and 3.0. */
#ifndef WIDELOAD_BASE_NPY_HEADER_H
#define WIDELOAD_BASE_NPY_HEADER_H

#include "base/npy/dtype.h"

enum {
    NPY_PREFIX = 12,              /* bytes of a file that tell its header's length */
    NPY_MOST_HEADER = 256 * 1024, /* NumPy itself reads 10000 bytes unless it is told to trust the file */
};

/* An array in a file.  Its data are dense, from byte `data` of the file on: the last dimension lies closest,
 * or with `fortran` the first. */
struct npy_array {
    struct npy_dtype dtype;
    unsigned rank;
    uint64_t shape[NPY_MOST_DIMENSIONS];
    bool fortran;
    uint64_t data;            /* the header's bytes */
    uint64_t elements, bytes; /* of the data; bytes: at most 2^63 - 1 */
};

/* How many bytes of the file the header has, from the first `length` bytes of the file, of which up to
 * NPY_PREFIX are looked at.  0, with the reason: it is no .npy file, or its header is too long. */
size_t npy_header_length(const unsigned char *file, size_t length, struct base_error *error);

/* Reads a header of `length` bytes, as npy_header_length() gave it.  Messages do not name the file. */
bool npy_header_parse(struct npy_array *array, const unsigned char *file, size_t length,
                      struct base_error *error);

/* Reads the header of an open file, and checks that the file holds all of the data.  Messages begin with
 * `name`. */
bool npy_header_read(struct npy_array *array, int file, const char *name, struct base_error *error);

/* The header that numpy.save() writes for a C-ordered array, to be freed: *length bytes, a multiple of 64.
 * `dtype`: the type as text in UTF-8.  NULL, with the reason. */
char *npy_header_make(const char *dtype, unsigned rank, const uint64_t *shape, size_t *length,
                      struct base_error *error);

void npy_array_free(struct npy_array *array);

/* The strides in bytes of an array's dimensions in its file, for elements of `record` bytes.  An array
 * without elements has no data, so its strides do not matter, and their products may wrap. */
void npy_array_strides(const struct npy_array *array, uint64_t record, uint64_t *strides);

/* "(3, 4)" as NumPy writes it, for messages; cut if it is long. */
enum { NPY_SHAPE_TEXT = 80 };
const char *npy_shape_text(const struct npy_array *array, char text[NPY_SHAPE_TEXT]);

#endif
