#include "base/npy/dtype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t most_bytes = INT32_MAX; /* NumPy's limit, too */

enum { SHOWN = 60 };

/* A literal's text for messages: its beginning. */
static const char *show(const struct npy_literals *literals, const struct npy_literal *literal,
                        char shown[SHOWN]) {
    size_t length = literal->end - literal->start;
    snprintf(shown, SHOWN, "%.*s%s", length < SHOWN ? (int)length : SHOWN - 4,
             literals->text + literal->start, length < SHOWN ? "" : "...");
    return shown;
}

static bool refuse(const struct npy_literals *literals, const struct npy_literal *literal, const char *what,
                   struct base_error *error) {
    char shown[SHOWN];
    return base_failure(error, "the type %s %s", show(literals, literal, shown), what);
}

static bool too_large(const struct npy_literals *literals, const struct npy_literal *literal,
                      struct base_error *error) {
    return refuse(literals, literal, "has more than 2^31 - 1 bytes", error);
}

/* ---------------------------------------------------------------- plain types */

static const struct {
    char letter;
    unsigned sizes; /* the sum of all sizes that there are, each a power of 2; 0: any number */
    unsigned unit;  /* bytes that the text counts in */
} kinds[] = {
    {'b', 1, 1},   {'i', 0xf, 1}, {'u', 0xf, 1}, {'f', 0x1e, 1}, {'c', 0x38, 1}, {'m', 0x8, 1},
    {'M', 0x8, 1}, {'S', 0, 1},   {'a', 0, 1},   {'V', 0, 1},    {'U', 0, 4},
};

static const struct {
    char letter;
    uint64_t bytes;
    wl_type type;
    unsigned parts;
} addable[] = {
    {'i', 1, WL_TYPE_I8, 1},   {'i', 2, WL_TYPE_I16, 1}, {'i', 4, WL_TYPE_I32, 1}, {'i', 8, WL_TYPE_I64, 1},
    {'u', 1, WL_TYPE_U8, 1},   {'u', 2, WL_TYPE_U16, 1}, {'u', 4, WL_TYPE_U32, 1}, {'u', 8, WL_TYPE_U64, 1},
    {'f', 2, WL_TYPE_F16, 1},  {'f', 4, WL_TYPE_F32, 1}, {'f', 8, WL_TYPE_F64, 1}, {'c', 8, WL_TYPE_F32, 2},
    {'c', 16, WL_TYPE_F64, 2},
};

/* digits -> *number, limited to most_bytes + 1.  Returns the number of digits. */
static size_t read_digits(const char *text, uint64_t *number) {
    size_t length = strspn(text, "0123456789");
    *number = 0;
    for (size_t i = 0; i < length; i++)
        if (*number <= most_bytes)
            *number = 10 * *number + (uint64_t)(text[i] - '0');
    return length;
}

/* unit of time = "[" [digits] letters ["/" digits] "]" */
static size_t time_unit(const char *text) {
    static const char *const units[] = {"Y",  "M",  "W",  "D",  "h",  "m",       "s",        "ms",
                                        "us", "ns", "ps", "fs", "as", "generic", "\xce\xbcs"};
    uint64_t number;
    if (text[0] != '[')
        return 0;
    const char *unit = text + 1 + read_digits(text + 1, &number);
    size_t length = strcspn(unit, "/]");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == length && strncmp(unit, units[i], length) == 0) {
            const char *end = unit + length;
            size_t digits = *end == '/' ? read_digits(end + 1, &number) : 0;
            if (*end == '/' && digits)
                end += 1 + digits;
            return *end == ']' ? (size_t)(end + 1 - text) : 0;
        }
    return 0;
}

static bool size_allowed(unsigned sizes, uint64_t bytes, char letter) {
    /* x86-32's long double, and a pair of them */
    if ((letter == 'f' && bytes == 12) || (letter == 'c' && bytes == 24))
        return true;
    return bytes && bytes <= 32 && (bytes & (bytes - 1)) == 0 && sizes & (unsigned)bytes;
}

/* plain = ["<" | ">" | "=" | "|"] letter digits [unit of time] */
static bool read_plain(struct npy_dtype *dtype, const struct npy_literals *literals,
                       const struct npy_literal *descr, struct base_error *error) {
    char text[80];
    size_t length = descr->end - descr->start - 2;
    if (length >= sizeof text || memchr(literals->text + descr->start + 1, '\\', length))
        return refuse(literals, descr, "is none of NumPy's", error);
    snprintf(text, sizeof text, "%.*s", (int)length, literals->text + descr->start + 1);
    const char *at = text;
    bool big = *at == '>';
    at += *at && strchr("<>=|", *at);
    char letter = *at;
    if (letter == 'O')
        return base_failure(error,
                            "its elements are Python objects, and pickles are refused: reading one can run "
                            "any program; save the array with a plain type");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].letter != letter)
            continue;
        dtype->kind = letter;
        size_t digits = read_digits(++at, &dtype->bytes);
        at += digits;
        if (letter == 'm' || letter == 'M')
            at += time_unit(at);
        dtype->bytes *= kinds[i].unit;
        if (!digits || *at || (kinds[i].sizes && !size_allowed(kinds[i].sizes, dtype->bytes, letter)))
            break;
        if (dtype->bytes > most_bytes)
            return too_large(literals, descr, error);
        for (size_t j = 0; j < sizeof addable / sizeof *addable; j++)
            if (addable[j].letter == letter && addable[j].bytes == dtype->bytes &&
                (!big || dtype->bytes == 1)) {
                dtype->can_add = true;
                dtype->type = addable[j].type;
                dtype->parts = addable[j].parts;
            }
        return true;
    }
    return refuse(literals, descr, "is none of NumPy's", error);
}

/* ---------------------------------------------------------------- structures */

static char *copy_text(const struct npy_literals *literals, const struct npy_literal *literal) {
    return strndup(literals->text + literal->start, literal->end - literal->start);
}

/* A sub-array's shape: an integer or a tuple of them.  Multiplies field->bytes by its items. */
static bool read_shape(struct npy_field *field, const struct npy_literals *literals,
                       const struct npy_literal *shape, struct base_error *error) {
    bool is_tuple = shape->kind == NPY_TUPLE;
    const struct npy_literal *size = is_tuple ? npy_literal_first(literals, shape) : shape;
    if ((is_tuple ? shape->count : 1) > NPY_MOST_DIMENSIONS)
        return refuse(literals, shape, "has more than 64 dimensions", error);
    while (size) {
        if (size->kind != NPY_INTEGER || size->negative)
            return refuse(literals, shape, "is no sub-array's shape", error);
        if (size->number > most_bytes || field->bytes * size->number > most_bytes)
            return too_large(literals, shape, error);
        field->bytes *= size->number;
        field->shape[field->rank++] = size->number;
        size = is_tuple ? npy_literal_next(literals, size) : NULL;
    }
    return true;
}

/* name = string | "(" title "," string ")" */
static char *read_name(const struct npy_literals *literals, const struct npy_literal *name,
                       struct base_error *error) {
    if (name->kind == NPY_TUPLE && name->count == 2)
        name = npy_literal_next(literals, npy_literal_first(literals, name));
    if (name->kind == NPY_STRING)
        return npy_literal_string(literals, name, error);
    refuse(literals, name, "is no name of a field", error);
    return NULL;
}

/* field = "(" name "," descr ["," shape] ")".  An unnamed field of type V is padding. */
static bool read_field(struct npy_dtype *dtype, const struct npy_literals *literals,
                       const struct npy_literal *item, struct base_error *error) {
    struct npy_field *field = &dtype->fields[dtype->field_count];
    struct npy_dtype inner;
    if (item->kind != NPY_TUPLE || item->count < 2 || item->count > 3)
        return refuse(literals, item, "is no field: a name, a type and a shape make one", error);
    const struct npy_literal *name = npy_literal_first(literals, item);
    const struct npy_literal *descr = npy_literal_next(literals, name);
    const struct npy_literal *shape = npy_literal_next(literals, descr);
    if (!npy_dtype_read(&inner, literals, descr, error))
        return false;
    *field = (struct npy_field){.offset = dtype->bytes, .bytes = inner.bytes};
    bool is_void = inner.kind == 'V';
    npy_dtype_free(&inner);
    if (shape && !read_shape(field, literals, shape, error))
        return false;
    dtype->bytes += field->bytes;
    if (dtype->bytes > most_bytes)
        return too_large(literals, item, error);
    field->name = read_name(literals, name, error);
    if (!field->name)
        return false;
    if (!*field->name) {
        free(field->name);
        field->name = NULL;
        return is_void || refuse(literals, item, "is a field without a name", error);
    }
    dtype->field_count++; /* from here on it is freed with the others */
    field->text = copy_text(literals, descr);
    return field->text || base_failure(error, "out of memory");
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool check_names(const struct npy_dtype *dtype, struct base_error *error) {
    char **names = calloc(dtype->field_count + 1, sizeof *names);
    if (!names)
        return base_failure(error, "out of memory");
    for (size_t i = 0; i < dtype->field_count; i++)
        names[i] = dtype->fields[i].name;
    qsort(names, dtype->field_count, sizeof *names, compare_names);
    bool good = true;
    for (size_t i = 1; i < dtype->field_count && good; i++)
        good = strcmp(names[i - 1], names[i]) != 0 ||
               base_failure(error, "two of its fields are called '%.80s'", names[i]);
    free(names);
    return good;
}

static bool read_structure(struct npy_dtype *dtype, const struct npy_literals *literals,
                           const struct npy_literal *descr, struct base_error *error) {
    const struct npy_literal *item = npy_literal_first(literals, descr);
    dtype->fields = calloc(descr->count + 1, sizeof *dtype->fields);
    if (!dtype->fields)
        return base_failure(error, "out of memory");
    for (; item; item = npy_literal_next(literals, item))
        if (!read_field(dtype, literals, item, error))
            return false;
    return check_names(dtype, error);
}

/* descr = plain | "[" fields "]".  The recursion is bounded as the parsed literal's depth is. */
bool npy_dtype_read(struct npy_dtype *dtype, const struct npy_literals *literals,
                    const struct npy_literal *descr, struct base_error *error) {
    *dtype = (struct npy_dtype){.text = copy_text(literals, descr)};
    bool good = dtype->text || base_failure(error, "out of memory");
    if (good && descr->kind == NPY_STRING)
        good = read_plain(dtype, literals, descr, error);
    else if (good && descr->kind == NPY_LIST)
        good = read_structure(dtype, literals, descr, error);
    else if (good)
        good = refuse(literals, descr, "is none that NumPy writes", error);
    if (!good)
        npy_dtype_free(dtype);
    return good;
}

bool npy_dtype_same(const struct npy_dtype *a, const struct npy_dtype *b) {
    struct npy_literals one = {0}, other = {0};
    struct base_error error;
    bool same = npy_literals_parse(&one, a->text, strlen(a->text), &error) &&
                npy_literals_parse(&other, b->text, strlen(b->text), &error) &&
                npy_literal_equal(&one, &one.items[0], &other, &other.items[0]);
    npy_literals_free(&one);
    npy_literals_free(&other);
    return same;
}

void npy_dtype_free(struct npy_dtype *dtype) {
    for (size_t i = 0; i < dtype->field_count; i++) {
        free(dtype->fields[i].name);
        free(dtype->fields[i].text);
    }
    free(dtype->fields);
    free(dtype->text);
    *dtype = (struct npy_dtype){0};
}
