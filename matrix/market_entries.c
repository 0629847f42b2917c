#include <string.h>

#include "matrix/decimal.h"
#include "matrix/market.h"

/* A line of the text: the next character to read in it.  Every line has its end, so scans stop there. */
struct line {
    struct market_piece *piece;
    const char *at;
};

static inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static inline void skip_blanks(struct line *line) {
    while (is_blank(*line->at))
        line->at++;
}

static bool refuse(const struct line *line, const char *what) {
    struct market_piece *piece = line->piece;
    char word[MARKET_WORD];
    piece->failed = true;
    market_word(line->at, piece->end, word);
    return word[0] ? base_failure(&piece->error, "'%s' is no %s", word, what)
                   : base_failure(&piece->error, "it ends before its %s", what);
}

/* Goes past a number that ends at `end`; NULL: there is none. */
static inline bool pass(struct line *line, const char *end, const char *what) {
    if (!end || !(is_blank(*end) || *end == '\n'))
        return refuse(line, what);
    line->at = end;
    skip_blanks(line);
    return true;
}

/* Reads a row or column of 1 to `most`, and counts from 0. */
static inline bool read_index(struct line *line, uint64_t most, const char *what, uint64_t *index) {
    uint64_t number;
    if (!pass(line, decimal_read_unsigned(line->at, &number), what))
        return false;
    *index = number - 1;
    if (*index < most)
        return true;
    line->piece->failed = true;
    return base_failure(&line->piece->error, "its %s is %llu, which is not among 1 to %llu", what,
                        (unsigned long long)number, (unsigned long long)most);
}

union value {
    int64_t integer;
    uint64_t natural;
    double part[2];
};

static inline bool read_value(struct line *line, union value *value) {
    switch (line->piece->head->field) {
    case MARKET_PATTERN:
        break;
    case MARKET_INTEGER:
        return pass(line, decimal_read_signed(line->at, &value->integer), "integer of 64 bits");
    case MARKET_UNSIGNED:
        return pass(line, decimal_read_unsigned(line->at, &value->natural), "unsigned integer of 64 bits");
    case MARKET_REAL:
        return pass(line, decimal_read(line->at, &value->part[0]), "real number");
    case MARKET_COMPLEX:
        return pass(line, decimal_read(line->at, &value->part[0]), "real part") &&
               pass(line, decimal_read(line->at, &value->part[1]), "imaginary part");
    }
    return true;
}

/* ---------------------------------------------------------------- entries */

static inline void put_index(void *array, unsigned bytes, uint64_t i, uint64_t index) {
    if (bytes == 4)
        ((uint32_t *)array)[i] = (uint32_t)index;
    else
        ((uint64_t *)array)[i] = index;
}

static inline void put(struct market_piece *piece, uint64_t row, uint64_t col, const union value *value) {
    const uint64_t i = piece->entries++;
    put_index(piece->rows, piece->index_bytes, i, row);
    put_index(piece->cols, piece->index_bytes, i, col);
    if (piece->width == 8)
        memcpy(piece->values + 8 * i, value, 8);
    else if (piece->width)
        memcpy(piece->values + 16 * i, value, 16);
}

/* The value on the other side of the diagonal. */
static bool reflect(struct market_piece *piece, union value *value) {
    const struct market_head *head = piece->head;
    if (head->symmetry == MARKET_HERMITIAN)
        value->part[1] = -value->part[1];
    if (head->symmetry != MARKET_SKEW)
        return true;
    if (head->field != MARKET_INTEGER) {
        value->part[0] = -value->part[0];
        value->part[1] = -value->part[1];
        return true;
    }
    if (__builtin_sub_overflow(0, value->integer, &value->integer)) {
        piece->failed = true;
        return base_failure(&piece->error, "its value's negative is no integer of 64 bits");
    }
    return true;
}

/* Reads a line with an entry. */
static inline bool read_entry(struct line *line) {
    struct market_piece *piece = line->piece;
    const struct market_head *head = piece->head;
    uint64_t row, col;
    union value value = {.part = {0, 0}};
    if (!read_index(line, head->rows, "row", &row) || !read_index(line, head->cols, "column", &col) ||
        !read_value(line, &value))
        return false;
    if (*line->at != '\n') {
        char word[MARKET_WORD];
        piece->failed = true;
        return base_failure(&piece->error, "'%s' follows its entry", market_word(line->at, piece->end, word));
    }
    put(piece, row, col, &value);
    if (head->symmetry == MARKET_GENERAL)
        return true;
    if (row != col) {
        if (!reflect(piece, &value))
            return false;
        put(piece, col, row, &value);
    } else if (head->symmetry == MARKET_SKEW) {
        piece->failed = true;
        return base_failure(&piece->error, "a skew-symmetric matrix has no entries on its diagonal");
    }
    return true;
}

void market_read_piece(struct market_piece *piece) {
    struct line line = {piece, piece->text};
    piece->lines = piece->read = piece->entries = 0;
    piece->failed = false;
    while (line.at < piece->end) {
        skip_blanks(&line);
        if (*line.at == '%') {
            line.at = memchr(line.at, '\n', (size_t)(piece->end - line.at));
        } else if (*line.at != '\n') {
            if (!read_entry(&line))
                return;
            piece->read++;
        }
        line.at++;
        piece->lines++;
    }
}
