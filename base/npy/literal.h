/* The part of Python's literals that headers of NumPy files consist of: dictionaries, tuples, lists, strings,
 * integers, True, False and None.  Nothing is evaluated. */
#ifndef WIDELOAD_BASE_NPY_LITERAL_H
#define WIDELOAD_BASE_NPY_LITERAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { NPY_MOST_NESTING = 64 }; /* brackets within brackets; NumPy's own headers have below 10 or so */

enum npy_kind {
    NPY_STRING,
    NPY_INTEGER,
    NPY_BOOLEAN,
    NPY_NONE,
    NPY_TUPLE,
    NPY_LIST,
    NPY_DICT, /* its items are keys and values in turn */
};

struct npy_literal {
    enum npy_kind kind;
    size_t start, end; /* its bytes in the text; of a string with its quotes */
    uint64_t number;   /* an integer's magnitude; 1 for True */
    bool negative;
    size_t count;       /* of a tuple, list or dictionary: its items */
    size_t first, next; /* indexes: its first item, and the next item of the same parent; 0: none */
};

struct npy_literals {
    const char *text;          /* not owned */
    struct npy_literal *items; /* items[0] is the whole */
    size_t count, room;
};

/* Parses a text of `length` bytes, which need not end with 0 and must stay valid.  It holds one literal; only
 * spaces and line ends may stand around it.  False, with what is wrong at which byte; then there is nothing
 * to free. */
bool npy_literals_parse(struct npy_literals *literals, const char *text, size_t length,
                        struct base_error *error);
void npy_literals_free(struct npy_literals *literals);

/* The item after `item` of the same parent, or its first item; NULL: there is none. */
const struct npy_literal *npy_literal_next(const struct npy_literals *literals,
                                           const struct npy_literal *item);
const struct npy_literal *npy_literal_first(const struct npy_literals *literals,
                                            const struct npy_literal *parent);

/* Whether a string literal without escapes is exactly this. */
bool npy_literal_is(const struct npy_literals *literals, const struct npy_literal *string, const char *text);
/* A string's characters in UTF-8 with its escapes resolved, to be freed.  NULL, with the reason: an escape
 * that Python's repr() does not write, or a character that cannot stand in a name (0, half of a pair), or no
 * memory. */
char *npy_literal_string(const struct npy_literals *literals, const struct npy_literal *string,
                         struct base_error *error);

/* Whether both are the same but for spaces and quotes. */
bool npy_literal_equal(const struct npy_literals *a, const struct npy_literal *left,
                       const struct npy_literals *b, const struct npy_literal *right);

#endif
