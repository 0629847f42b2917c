/* Matrix Market's text: the head of a file, and its entries. */
#ifndef WIDELOAD_MATRIX_MARKET_H
#define WIDELOAD_MATRIX_MARKET_H

#include "matrix/internal.h"

enum market_field { MARKET_PATTERN, MARKET_INTEGER, MARKET_UNSIGNED, MARKET_REAL, MARKET_COMPLEX };
enum market_symmetry { MARKET_GENERAL, MARKET_SYMMETRIC, MARKET_SKEW, MARKET_HERMITIAN };

extern const char *const market_fields[]; /* their names in a file */

struct market_head {
    enum market_field field;
    enum market_symmetry symmetry;
    uint64_t rows, cols;
    uint64_t entries;   /* lines of them in the file; a symmetric matrix has up to twice as many entries */
    uint64_t size_line; /* the line that has these sizes, from 1 on */
};

/* Reads a file's first line, up to `end`.  Messages name neither the file nor the line. */
bool market_read_banner(struct market_head *head, const char *line, const char *end,
                        struct base_error *error);
/* Reads the line with the sizes. */
bool market_read_sizes(struct market_head *head, const char *line, const char *end, struct base_error *error);

/* A part of the file's text, whole lines that are followed by a line end, and the entries in it.  There is
 * room for as many as the text can have. */
struct market_piece {
    const struct market_head *head;
    const char *text, *end;
    unsigned index_bytes, width;
    void *rows, *cols;
    unsigned char *values;

    /* Set by market_read_piece(). */
    uint64_t lines;   /* those that were read; with an error, those before it */
    uint64_t read;    /* lines of entries */
    uint64_t entries; /* with those on the other side of the diagonal */
    bool failed;
    struct base_error error; /* names neither the file nor the line */
};

/* Bytes of the shortest line of an entry: "1 1\n". */
enum { MARKET_SHORTEST_LINE = 4 };

void market_read_piece(struct market_piece *piece);

/* The word at `text` for messages, cut where it is long. */
enum { MARKET_WORD = 44 };
const char *market_word(const char *text, const char *end, char word[MARKET_WORD]);

#endif
