/* NumPy's element types as headers describe them: "<f4", "|S5", "<M8[25s]", [("x", "<f4"), ("v", "<i2",
 * (3,))].  The description is kept as text and written back unchanged; what moving elements needs is worked
 * out of it. */
#ifndef WIDELOAD_BASE_NPY_DTYPE_H
#define WIDELOAD_BASE_NPY_DTYPE_H

#include "base/npy/literal.h"
#include "wideload.h"

enum { NPY_MOST_DIMENSIONS = 64 }; /* NumPy's limit: 32, from 2.0 on 64 */

/* A field of a structured type.  Padding is no field. */
struct npy_field {
    char *name;      /* in UTF-8 */
    char *text;      /* the type of its items, as in a header */
    uint64_t offset; /* within an element */
    uint64_t bytes;  /* of all its items */
    unsigned rank;   /* of a sub-array, else 0 */
    uint64_t shape[NPY_MOST_DIMENSIONS];
};

struct npy_dtype {
    char *text;     /* in UTF-8 */
    uint64_t bytes; /* of an element: 0 to 2^31 - 1 */
    char kind;      /* NumPy's letter, 'f' of "<f4"; 0: structured */
    bool can_add;   /* wl_add() has the type; a complex number is 2 of `type` */
    wl_type type;
    unsigned parts; /* 1, or 2 for complex numbers */
    struct npy_field *fields;
    size_t field_count; /* 0: not structured, or a structure of padding alone */
};

/* Reads the literal `descr`.  False, with the reason, for what NumPy does not write, for Python objects, and
 * for a structure whose names are empty or not distinct. */
bool npy_dtype_read(struct npy_dtype *dtype, const struct npy_literals *literals,
                    const struct npy_literal *descr, struct base_error *error);
void npy_dtype_free(struct npy_dtype *dtype);

/* Whether both texts are the same literal but for spaces and quotes.  False, too, if memory is short. */
bool npy_dtype_same(const struct npy_dtype *a, const struct npy_dtype *b);

#endif
