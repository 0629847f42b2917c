#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "matrix/decimal.h"
#include "matrix/market.h"

const char *const market_fields[] = {"pattern", "integer", "unsigned-integer", "real", "complex"};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line; of length 0 at its end. */
struct word {
    const char *text;
    size_t length;
};

static struct word next_word(const char **at, const char *end) {
    while (*at < end && is_space(**at))
        ++*at;
    const char *start = *at;
    while (*at < end && !is_space(**at))
        ++*at;
    return (struct word){start, (size_t)(*at - start)};
}

static bool is(struct word word, const char *text) {
    return word.length == strlen(text) && strncasecmp(word.text, text, word.length) == 0;
}

const char *market_word(const char *text, const char *end, char word[MARKET_WORD]) {
    size_t length = 0;
    for (; text < end && !is_space(*text) && *text != '\n' && length < MARKET_WORD - 4; text++)
        word[length++] = (char)(*text > ' ' && *text <= '~' ? *text : '?');
    const bool cut = text < end && !is_space(*text) && *text != '\n';
    snprintf(word + length, 4, "%s", cut ? "..." : "");
    return word;
}

/* ---------------------------------------------------------------- the first line */

static bool read_name(const char **at, const char *end, const char *what, const char *const *names, int count,
                      int *found, struct base_error *error) {
    const struct word word = next_word(at, end);
    char shown[MARKET_WORD], known[120] = "";
    for (int i = 0; i < count; i++) {
        if (is(word, names[i])) {
            *found = i;
            return true;
        }
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", names[i]);
    }
    return base_failure(error, "its %s is '%s'; known: %s", what,
                        market_word(word.text, word.text + word.length, shown), known);
}

bool market_read_banner(struct market_head *head, const char *line, const char *end,
                        struct base_error *error) {
    static const char *const objects[] = {"matrix"}, *const formats[] = {"coordinate", "array"};
    const char *at = line;
    int object = 0, format = 0, field = 0, symmetry = 0;
    if (!is(next_word(&at, end), "%%MatrixMarket"))
        return base_failure(error, "it is no Matrix Market file: it does not begin with %%%%MatrixMarket");
    if (!read_name(&at, end, "object", objects, 1, &object, error) ||
        !read_name(&at, end, "format", formats, 2, &format, error))
        return false;
    if (format)
        return base_failure(error, "its format is 'array', a dense matrix; give one in 'coordinate' format");
    if (!read_name(&at, end, "field", market_fields, 5, &field, error) ||
        !read_name(&at, end, "symmetry", symmetries, 4, &symmetry, error))
        return false;
    head->field = (enum market_field)field;
    head->symmetry = (enum market_symmetry)symmetry;
    /* The other side of the diagonal has no value that the field could hold, or the same as if symmetric. */
    const bool can = symmetry == MARKET_SKEW        ? field != MARKET_PATTERN && field != MARKET_UNSIGNED
                     : symmetry == MARKET_HERMITIAN ? field == MARKET_COMPLEX
                                                    : true;
    return can || base_failure(error, "a matrix with the field '%s' cannot be %s", market_fields[field],
                               symmetries[symmetry]);
}

/* ---------------------------------------------------------------- the sizes */

bool market_read_sizes(struct market_head *head, const char *line, const char *end,
                       struct base_error *error) {
    uint64_t *const sizes[] = {&head->rows, &head->cols, &head->entries};
    const char *at = line;
    char shown[MARKET_WORD];
    for (int i = 0; i < 3; i++) {
        const struct word word = next_word(&at, end);
        if (!word.length)
            return base_failure(error, "it should have the numbers of rows, of columns and of entries");
        if (decimal_read_unsigned(word.text, sizes[i]) != word.text + word.length)
            return base_failure(error, "'%s' is no number of rows, columns or entries",
                                market_word(word.text, word.text + word.length, shown));
    }
    const struct word rest = next_word(&at, end);
    if (rest.length)
        return base_failure(error, "'%s' follows the numbers of rows, of columns and of entries",
                            market_word(rest.text, rest.text + rest.length, shown));
    const uint64_t most = head->symmetry == MARKET_GENERAL ? MATRIX_MOST_ENTRIES : MATRIX_MOST_ENTRIES / 2;
    if (head->rows > MATRIX_MOST_INDICES || head->cols > MATRIX_MOST_INDICES || head->entries > most)
        return base_failure(error,
                            "%llu rows, %llu columns and %llu entries are too many: at most 2^32, "
                            "2^32 and 2^%d can be read",
                            (unsigned long long)head->rows, (unsigned long long)head->cols,
                            (unsigned long long)head->entries, 63 - __builtin_clzll(most));
    if (head->entries && (!head->rows || !head->cols))
        return base_failure(error, "a matrix without rows or columns has no entries, but there are %llu",
                            (unsigned long long)head->entries);
    return head->symmetry == MARKET_GENERAL || head->rows == head->cols ||
           base_failure(error, "a %s matrix is square, but this has %llu rows and %llu columns",
                        symmetries[head->symmetry], (unsigned long long)head->rows,
                        (unsigned long long)head->cols);
}
