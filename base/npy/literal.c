#include "base/npy/literal.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct npy_literals *literals;
    size_t at, length;
    unsigned depth;
    struct base_error *error;
};

static bool wrong(struct parser *parser, const char *what) {
    return base_failure(parser->error, "%s at byte %zu of the header", what, parser->at);
}

static void skip_spaces(struct parser *parser) {
    const char *text = parser->literals->text;
    while (parser->at < parser->length && text[parser->at] && strchr(" \t\r\n", text[parser->at]))
        parser->at++;
}

/* The next byte after spaces; 0 at the end. */
static char peek(struct parser *parser) {
    skip_spaces(parser);
    return parser->at < parser->length ? parser->literals->text[parser->at] : 0;
}

static bool append(struct parser *parser, enum npy_kind kind, size_t *index) {
    struct npy_literals *literals = parser->literals;
    if (literals->count == literals->room) {
        size_t room = literals->room ? 2 * literals->room : 64;
        struct npy_literal *items = realloc(literals->items, room * sizeof *items);
        if (!items)
            return base_failure(parser->error, "out of memory");
        literals->items = items;
        literals->room = room;
    }
    *index = literals->count++;
    literals->items[*index] = (struct npy_literal){.kind = kind, .start = parser->at};
    return true;
}

static bool parse_value(struct parser *parser, size_t *index);

/* items = [item ("," item)* [","]]; of a dictionary item = value ":" value */
static bool parse_items(struct parser *parser, enum npy_kind kind, char close, size_t *index) {
    size_t last = 0, item, commas = 0;
    if (parser->depth == NPY_MOST_NESTING)
        return wrong(parser, "too many brackets within brackets");
    if (!append(parser, kind, index))
        return false;
    parser->depth++;
    parser->at++;
    while (peek(parser) != close) {
        struct npy_literal *items = parser->literals->items;
        size_t count = items[*index].count;
        bool is_value = kind == NPY_DICT && count % 2;
        if (is_value && peek(parser) != ':')
            return wrong(parser, "a ':' is missing");
        if (!is_value && count && commas == 0)
            return wrong(parser, "a ',' or a closing bracket is missing");
        parser->at += is_value;
        if (!parse_value(parser, &item))
            return false;
        items = parser->literals->items; /* it may have moved */
        if (last)
            items[last].next = item;
        else
            items[*index].first = item;
        last = item;
        items[*index].count++;
        commas = peek(parser) == ',' && !(kind == NPY_DICT && items[*index].count % 2);
        parser->at += commas;
    }
    struct npy_literal *parent = &parser->literals->items[*index];
    if (kind == NPY_DICT && parent->count % 2)
        return wrong(parser, "a ':' is missing");
    /* (x) is x in Python, and NumPy takes it for that. */
    if (kind == NPY_TUPLE && parent->count == 1 && !commas)
        return wrong(parser, "a ',' is missing in a tuple of one item");
    parser->at++;
    parser->depth--;
    parent->end = parser->at;
    return true;
}

static bool parse_string(struct parser *parser, size_t *index) {
    const char *text = parser->literals->text, quote = text[parser->at];
    if (!append(parser, NPY_STRING, index))
        return false;
    size_t start = parser->at++;
    while (parser->at < parser->length && text[parser->at] != quote) {
        if (text[parser->at] == '\n' || text[parser->at] == 0)
            return wrong(parser, "a string does not end");
        parser->at += text[parser->at] == '\\' && parser->at + 1 < parser->length ? 2 : 1;
    }
    if (parser->at >= parser->length) {
        parser->at = start;
        return wrong(parser, "a string does not end");
    }
    parser->literals->items[*index].end = ++parser->at;
    return true;
}

/* ["-"] digits ["L"]: Python 2 wrote the L. */
static bool parse_integer(struct parser *parser, size_t *index) {
    const char *text = parser->literals->text;
    uint64_t number = 0;
    if (!append(parser, NPY_INTEGER, index))
        return false;
    bool negative = text[parser->at] == '-';
    parser->at += negative;
    size_t start = parser->at;
    for (; parser->at < parser->length && text[parser->at] >= '0' && text[parser->at] <= '9'; parser->at++) {
        uint64_t digit = (uint64_t)(text[parser->at] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return wrong(parser, "a number has more than 64 bits");
        number = 10 * number + digit;
    }
    if (parser->at == start)
        return wrong(parser, "a number is missing");
    parser->at += parser->at < parser->length && text[parser->at] == 'L';
    parser->literals->items[*index].number = number;
    parser->literals->items[*index].negative = negative && number;
    parser->literals->items[*index].end = parser->at;
    return true;
}

static bool parse_word(struct parser *parser, size_t *index) {
    static const struct {
        const char *text;
        enum npy_kind kind;
        uint64_t number;
    } words[] = {{"True", NPY_BOOLEAN, 1}, {"False", NPY_BOOLEAN, 0}, {"None", NPY_NONE, 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);
        if (parser->length - parser->at < length ||
            memcmp(parser->literals->text + parser->at, words[i].text, length) != 0)
            continue;
        if (!append(parser, words[i].kind, index))
            return false;
        parser->at += length;
        parser->literals->items[*index].number = words[i].number;
        parser->literals->items[*index].end = parser->at;
        return true;
    }
    return wrong(parser, parser->at < parser->length ? "no Python literal stands" : "a value is missing");
}

/* value = string | integer | word | "(" items ")" | "[" items "]" | "{" items "}" */
static bool parse_value(struct parser *parser, size_t *index) {
    char first = peek(parser);
    switch (first) {
    case '(':
        return parse_items(parser, NPY_TUPLE, ')', index);
    case '[':
        return parse_items(parser, NPY_LIST, ']', index);
    case '{':
        return parse_items(parser, NPY_DICT, '}', index);
    case '\'':
    case '"':
        return parse_string(parser, index);
    default:
        if (first == '-' || (first >= '0' && first <= '9'))
            return parse_integer(parser, index);
        return parse_word(parser, index);
    }
}

bool npy_literals_parse(struct npy_literals *literals, const char *text, size_t length,
                        struct base_error *error) {
    *literals = (struct npy_literals){.text = text};
    struct parser parser = {.literals = literals, .length = length, .error = error};
    size_t whole;
    bool good = parse_value(&parser, &whole);
    if (good) {
        skip_spaces(&parser);
        good = parser.at == length || wrong(&parser, "more than one literal stands");
    }
    if (!good)
        npy_literals_free(literals);
    return good;
}

void npy_literals_free(struct npy_literals *literals) {
    free(literals->items);
    *literals = (struct npy_literals){0};
}

const struct npy_literal *npy_literal_next(const struct npy_literals *literals,
                                           const struct npy_literal *item) {
    return item->next ? &literals->items[item->next] : NULL;
}

const struct npy_literal *npy_literal_first(const struct npy_literals *literals,
                                            const struct npy_literal *parent) {
    return parent->first ? &literals->items[parent->first] : NULL;
}

bool npy_literal_is(const struct npy_literals *literals, const struct npy_literal *string, const char *text) {
    size_t length = string->end - string->start - 2;
    return string->kind == NPY_STRING && strlen(text) == length &&
           memcmp(literals->text + string->start + 1, text, length) == 0;
}

/* ---------------------------------------------------------------- strings */

/* Appends a character in UTF-8; false if it is none. */
static bool put_character(char **to, uint32_t c) {
    unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return false;
    *(*to)++ = (char)(heads[more] | c >> 6 * more);
    while (more--)
        *(*to)++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    return true;
}

/* What follows a backslash: \\ \' \" \n \r \t \x12 \u1234 \U00012345.  Returns the bytes read; 0 if it is
 * another. */
static size_t read_escape(const char *from, size_t length, uint32_t *c) {
    static const char letters[] = "\\'\"nrt", values[] = "\\'\"\n\r\t";
    const char *letter = memchr(letters, from[0], sizeof letters - 1);
    if (letter) {
        *c = (unsigned char)values[letter - letters];
        return 1;
    }
    size_t digits = from[0] == 'x' ? 2 : from[0] == 'u' ? 4 : from[0] == 'U' ? 8 : 0;
    char text[9] = "";
    if (!digits || length < 1 + digits)
        return 0;
    memcpy(text, from + 1, digits);
    if (strspn(text, "0123456789abcdefABCDEF") != digits)
        return 0;
    *c = (uint32_t)strtoul(text, NULL, 16);
    return 1 + digits;
}

char *npy_literal_string(const struct npy_literals *literals, const struct npy_literal *string,
                         struct base_error *error) {
    const char *from = literals->text + string->start + 1, *end = literals->text + string->end - 1;
    /* An escape is never shorter than its character. */
    char *text = malloc((size_t)(end - from) + 1), *to = text;
    if (!text) {
        base_failure(error, "out of memory");
        return NULL;
    }
    while (from < end) {
        uint32_t c;
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        size_t size = read_escape(from + 1, (size_t)(end - from) - 1, &c);
        if (!size || !put_character(&to, c)) {
            base_failure(error, "the escape at byte %zu of the header stands for no character",
                         (size_t)(from - literals->text));
            free(text);
            return NULL;
        }
        from += 1 + size;
    }
    *to = 0;
    return text;
}

static bool same_string(const struct npy_literals *a, const struct npy_literal *left,
                        const struct npy_literals *b, const struct npy_literal *right) {
    struct base_error error;
    char *one = npy_literal_string(a, left, &error), *other = npy_literal_string(b, right, &error);
    bool same = one && other && strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

/* The recursion is bounded: parsed literals nest NPY_MOST_NESTING deep at most. */
bool npy_literal_equal(const struct npy_literals *a, const struct npy_literal *left,
                       const struct npy_literals *b, const struct npy_literal *right) {
    if (left->kind != right->kind || left->count != right->count || left->number != right->number ||
        left->negative != right->negative)
        return false;
    if (left->kind == NPY_STRING)
        return same_string(a, left, b, right);
    left = npy_literal_first(a, left);
    right = npy_literal_first(b, right);
    for (; left; left = npy_literal_next(a, left), right = npy_literal_next(b, right))
        if (!npy_literal_equal(a, left, b, right))
            return false;
    return true;
}
