/* The operations of the command line on arrays in .npy files, and on sparse matrices.  Each writes files that
 * appear whole or not at all, arrays in C order.  False, with one line that names the file and what is wrong.
 */
#ifndef WIDELOAD_CLI_FILES_OPERATIONS_H
#define WIDELOAD_CLI_FILES_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/npy/dtype.h"

/* What --axes says; a negative axis counts from the end. */
struct files_axes {
    unsigned count;
    int64_t axis[NPY_MOST_DIMENSIONS];
};

/* Parses "0,2,3,1"; "" is no axes, which a 0-d array has. */
bool files_axes_parse(struct files_axes *axes, const char *text, struct base_error *error);

/* Dimension i of the output is dimension axes[i] of the input; NULL: all in reverse.  memory: for boxes, in
 * bytes; 0: what suits the machine. */
bool files_permute(const char *command, const char *from, const char *to, const struct files_axes *axes,
                   uint64_t memory, struct base_error *error);

/* Both inputs have the same shape and the same type, one that wl_add() has, or complex numbers. */
bool files_add(const char *a, const char *b, const char *to, uint64_t memory, struct base_error *error);

/* A structure's fields, or the items of the last dimension, to PREFIX.NAME.npy or PREFIX.0.npy, ... prefix:
 * NULL: the input's path without .npy. */
bool files_deinterleave(const char *from, const char *prefix, uint64_t memory, struct base_error *error);

/* Arrays of one shape to one array: of one type with a new last dimension, or with `fields`, "x,y", of a
 * structure without padding. */
bool files_interleave(const char *const *from, size_t count, const char *to, const char *fields,
                      uint64_t memory, struct base_error *error);

/* The transpose of a sparse matrix, in the formats that both names say: matrix/matrix.h. */
bool files_sparse_transpose(const char *from, const char *to, struct base_error *error);

#endif
