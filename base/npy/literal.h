/* The part of Python's literals that headers of NumPy files consist of: dictionaries, tuples, lists, strings,
 * integers, True, False and None.  Nothing is evaluated. */
#ifndef WIDELOAD_BASE_NPY_LITERAL_H
#define WIDELOAD_BASE_NPY_LITERAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { FILES_MOST_NESTING = 64 }; /* brackets within brackets; NumPy's own headers have below 10 or so */

enum files_kind {
    FILES_STRING,
    FILES_INTEGER,
    FILES_BOOLEAN,
    FILES_NONE,
    FILES_TUPLE,
    FILES_LIST,
    FILES_DICT, /* its items are keys and values in turn */
};

struct files_literal {
    enum files_kind kind;
    size_t start, end; /* its bytes in the text; of a string with its quotes */
    uint64_t number;   /* an integer's magnitude; 1 for True */
    bool negative;
    size_t count;       /* of a tuple, list or dictionary: its items */
    size_t first, next; /* indexes: its first item, and the next item of the same parent; 0: none */
};

struct files_literals {
    const char *text;            /* not owned */
    struct files_literal *items; /* items[0] is the whole */
    size_t count, room;
};

/* Parses a text of `length` bytes, which need not end with 0 and must stay valid.  It holds one literal; only
 * spaces and line ends may stand around it.  False, with what is wrong at which byte; then there is nothing
 * to free. */
bool files_literals_parse(struct files_literals *literals, const char *text, size_t length,
                          struct base_error *error);
void files_literals_free(struct files_literals *literals);

/* The item after `item` of the same parent, or its first item; NULL: there is none. */
const struct files_literal *files_literal_next(const struct files_literals *literals,
                                               const struct files_literal *item);
const struct files_literal *files_literal_first(const struct files_literals *literals,
                                                const struct files_literal *parent);

/* Whether a string literal without escapes is exactly this. */
bool files_literal_is(const struct files_literals *literals, const struct files_literal *string,
                      const char *text);
/* A string's characters in UTF-8 with its escapes resolved, to be freed.  NULL, with the reason: an escape
 * that Python's repr() does not write, or a character that cannot stand in a name (0, half of a pair), or no
 * memory. */
char *files_literal_string(const struct files_literals *literals, const struct files_literal *string,
                           struct base_error *error);

/* Whether both are the same but for spaces and quotes. */
bool files_literal_equal(const struct files_literals *a, const struct files_literal *left,
                         const struct files_literals *b, const struct files_literal *right);

#endif
