#include "base/npy/header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

/* The file: magic[8] = "\x93NUMPY", major, minor; the length of the text, 2 bytes in format 1.0 and 4 later,
 * little endian; the text, Latin-1 before 3.0 and UTF-8 in it: a dictionary, padded with spaces. */
static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { ALIGNMENT = 64, VERSION = 6, LENGTH = 8 };

static size_t text_start(const unsigned char *file) {
    return file[VERSION] == 1 ? LENGTH + 2 : LENGTH + 4;
}

size_t npy_header_length(const unsigned char *file, size_t length, struct base_error *error) {
    if (length >= 4 && memcmp(file, "PK\3\4", 4) == 0)
        return base_failure(error,
                            "it is a zip archive, as .npz files are; unpack it and give a .npy file in it");
    size_t known = length < sizeof magic ? length : sizeof magic;
    if (!length || memcmp(file, magic, known) != 0)
        return base_failure(error, "it is no .npy file: it does not begin with \\x93NUMPY");
    if (length > VERSION + 1 && (file[VERSION] < 1 || file[VERSION] > 3 || file[VERSION + 1]))
        return base_failure(error, "it has format %u.%u; the formats 1.0, 2.0 and 3.0 are known",
                            file[VERSION], file[VERSION + 1]);
    if (length <= VERSION + 1 || length < text_start(file))
        return base_failure(error, "it ends within its header");
    size_t text = (size_t)file[LENGTH] | (size_t)file[LENGTH + 1] << 8;
    if (file[VERSION] > 1)
        text |= (size_t)file[LENGTH + 2] << 16 | (size_t)file[LENGTH + 3] << 24;
    if (text > NPY_MOST_HEADER)
        return base_failure(error, "its header has %zu bytes; at most %d are read", text, NPY_MOST_HEADER);
    return text_start(file) + text;
}

/* ---------------------------------------------------------------- the dictionary */

static bool read_shape(struct npy_array *array, const struct npy_literals *literals,
                       const struct npy_literal *shape, struct base_error *error) {
    const struct npy_literal *size = npy_literal_first(literals, shape);
    if (shape->kind != NPY_TUPLE)
        return base_failure(error, "its shape is no tuple");
    if (shape->count > NPY_MOST_DIMENSIONS)
        return base_failure(error, "its shape has %zu dimensions; NumPy has at most %d", shape->count,
                            NPY_MOST_DIMENSIONS);
    for (; size; size = npy_literal_next(literals, size)) {
        if (size->kind != NPY_INTEGER || size->negative)
            return base_failure(error, "its shape has an item that is no size");
        if (size->number > INT64_MAX)
            return base_failure(error, "its shape has a size of more than 63 bits");
        array->shape[array->rank++] = size->number;
    }
    return true;
}

/* An array without elements may have any other sizes. */
static bool count_elements(struct npy_array *array, struct base_error *error) {
    bool fits = true;
    array->elements = 1;
    for (unsigned d = 0; d < array->rank; d++)
        if (array->shape[d] == 0)
            array->elements = 0;
    for (unsigned d = 0; d < array->rank && array->elements && fits; d++)
        fits = !__builtin_mul_overflow(array->elements, array->shape[d], &array->elements);
    fits = fits && !__builtin_mul_overflow(array->elements, array->dtype.bytes, &array->bytes) &&
           array->bytes <= INT64_MAX - NPY_MOST_HEADER - LENGTH - 4;
    return fits || base_failure(error, "its shape has more elements than any file can hold");
}

static bool read_dictionary(struct npy_array *array, const struct npy_literals *literals,
                            struct base_error *error) {
    static const char *const names[] = {"descr", "fortran_order", "shape"};
    const struct npy_literal *values[3] = {NULL}, *dictionary = &literals->items[0];
    if (dictionary->kind != NPY_DICT)
        return base_failure(error, "its header is no dictionary");
    const struct npy_literal *key = npy_literal_first(literals, dictionary);
    while (key) {
        const struct npy_literal *value = npy_literal_next(literals, key);
        int found = -1;
        for (int i = 0; i < 3; i++)
            if (npy_literal_is(literals, key, names[i]) && !values[i])
                found = i;
        if (found < 0)
            return base_failure(error,
                                "its header has a key twice, or another than 'descr', 'fortran_order' and "
                                "'shape'");
        values[found] = value;
        key = npy_literal_next(literals, value);
    }
    for (int i = 0; i < 3; i++)
        if (!values[i])
            return base_failure(error, "its header lacks '%s'", names[i]);
    if (values[1]->kind != NPY_BOOLEAN)
        return base_failure(error, "its header's 'fortran_order' is neither True nor False");
    array->fortran = values[1]->number;
    return read_shape(array, literals, values[2], error) &&
           npy_dtype_read(&array->dtype, literals, values[0], error) && count_elements(array, error);
}

/* Latin-1 to UTF-8; UTF-8 to itself if it is valid.  NULL, with the reason. */
static char *decode(const unsigned char *text, size_t length, bool latin, struct base_error *error) {
    char *copy = malloc(2 * length + 1), *to = copy;
    for (size_t i = 0; copy && i < length; i++)
        if (latin && text[i] >= 0x80) {
            *to++ = (char)(0xc0 | text[i] >> 6);
            *to++ = (char)(0x80 | (text[i] & 0x3f));
        } else {
            *to++ = (char)text[i];
        }
    if (!copy) {
        base_failure(error, "out of memory");
        return NULL;
    }
    *to = 0;
    char *valid = base_utf8(copy);
    bool good = valid && strlen(copy) == (size_t)(to - copy) && strcmp(valid, copy) == 0;
    if (!good) {
        base_failure(error, valid ? "its header is no text" : "out of memory");
        free(copy);
        copy = NULL;
    }
    free(valid);
    return copy;
}

bool npy_header_parse(struct npy_array *array, const unsigned char *file, size_t length,
                      struct base_error *error) {
    struct npy_literals literals;
    *array = (struct npy_array){.data = length};
    size_t start = text_start(file);
    char *text = decode(file + start, length - start, file[VERSION] < 3, error);
    if (!text)
        return false;
    bool good = npy_literals_parse(&literals, text, strlen(text), error);
    if (good) {
        good = read_dictionary(array, &literals, error);
        npy_literals_free(&literals);
    }
    free(text);
    if (!good)
        npy_array_free(array);
    return good;
}

/* ---------------------------------------------------------------- files */

/* Reads up to `length` bytes from the file's beginning.  Returns how many; -1 for an error. */
static ssize_t read_start(int file, unsigned char *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t part = pread(file, bytes + done, length - done, (off_t)done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return -1;
        if (part == 0)
            break;
        done += (size_t)part;
    }
    return (ssize_t)done;
}

static bool read_header(struct npy_array *array, int file, struct base_error *error) {
    unsigned char prefix[NPY_PREFIX];
    ssize_t got = read_start(file, prefix, sizeof prefix);
    if (got < 0)
        return base_failure(error, "it cannot be read: %s", strerror(errno));
    size_t length = npy_header_length(prefix, (size_t)got, error);
    if (!length)
        return false;
    unsigned char *bytes = malloc(length);
    if (!bytes)
        return base_failure(error, "out of memory");
    got = read_start(file, bytes, length);
    bool good = got == (ssize_t)length;
    if (got < 0)
        base_failure(error, "it cannot be read: %s", strerror(errno));
    else if (!good)
        base_failure(error, "it ends within its header");
    good = good && npy_header_parse(array, bytes, length, error);
    free(bytes);
    return good;
}

bool npy_header_read(struct npy_array *array, int file, const char *name, struct base_error *error) {
    struct base_error reason;
    struct stat status;
    if (!read_header(array, file, &reason))
        return base_failure(error, "%.400s: %s", name, reason.text);
    uint64_t size = fstat(file, &status) ? array->data : (uint64_t)status.st_size;
    if (size >= array->data + array->bytes)
        return true;
    base_failure(error, "%.400s: it is cut short: it has %llu bytes of data, and by its header %llu", name,
                 (unsigned long long)(size > array->data ? size - array->data : 0),
                 (unsigned long long)array->bytes);
    npy_array_free(array);
    return false;
}

/* Writes a type's text, in Latin-1 if that has all of its characters. */
static void put_type(FILE *file, const char *text, bool latin) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (latin && *c >= 0x80) {
            fputc(*c << 6 | (c[1] & 0x3f), file);
            c++;
        } else {
            fputc(*c, file);
        }
}

/* In UTF-8, U+0080 to U+00FF begin with 0xc2 or 0xc3, and what lies above with a greater byte. */
static bool is_latin(const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c > 0xc3)
            return false;
    return true;
}

/* The dictionary; NULL: no memory. */
static char *make_text(const char *dtype, unsigned rank, const uint64_t *shape, size_t *size) {
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    if (!file)
        return NULL;
    int digits = 0;
    fputs("{'descr': ", file);
    put_type(file, dtype, is_latin(dtype));
    fputs(", 'fortran_order': False, 'shape': (", file);
    for (unsigned d = 0; d < rank; d++) {
        int written = fprintf(file, "%s%llu", d ? ", " : "", (unsigned long long)shape[d]);
        if (d == 0)
            digits = written;
    }
    /* NumPy leaves room for the first size to grow to 21 digits; so does this, and the files are the same. */
    fprintf(file, "%s), }%*s", rank == 1 ? "," : "", rank ? 21 - digits : 0, "");
    bool good = !ferror(file);
    if (!fclose(file) && good)
        return text;
    free(text);
    return NULL;
}

char *npy_header_make(const char *dtype, unsigned rank, const uint64_t *shape, size_t *length,
                      struct base_error *error) {
    size_t size;
    char *text = make_text(dtype, rank, shape, &size);
    if (!text) {
        base_failure(error, "out of memory");
        return NULL;
    }
    int version = !is_latin(dtype) ? 3 : LENGTH + 2 + size + ALIGNMENT > UINT16_MAX ? 2 : 1;
    size_t start = version == 1 ? LENGTH + 2 : LENGTH + 4;
    /* As NumPy pads: with a whole ALIGNMENT where none is needed. */
    *length = (start + size + 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    char *header = malloc(*length);
    if (!header || *length - start > NPY_MOST_HEADER) {
        base_failure(error, header ? "the header would have more than %d bytes" : "out of memory",
                     NPY_MOST_HEADER);
        free(header);
        free(text);
        return NULL;
    }
    memset(header, ' ', *length);
    memcpy(header, magic, sizeof magic);
    header[VERSION] = (char)version;
    header[VERSION + 1] = 0;
    for (size_t i = LENGTH; i < start; i++)
        header[i] = (char)((*length - start) >> 8 * (i - LENGTH));
    memcpy(header + start, text, size);
    header[*length - 1] = '\n';
    free(text);
    return header;
}

void npy_array_free(struct npy_array *array) {
    npy_dtype_free(&array->dtype);
}

/* ---------------------------------------------------------------- shapes */

void npy_array_strides(const struct npy_array *array, uint64_t record, uint64_t *strides) {
    uint64_t stride = record;
    for (unsigned i = 0; i < array->rank; i++) {
        unsigned d = array->fortran ? i : array->rank - 1 - i;
        strides[d] = stride;
        stride *= array->shape[d];
    }
}

const char *npy_shape_text(const struct npy_array *array, char text[NPY_SHAPE_TEXT]) {
    int length = snprintf(text, NPY_SHAPE_TEXT, "(");
    for (unsigned d = 0; d < array->rank && length < NPY_SHAPE_TEXT; d++)
        length += snprintf(text + length, NPY_SHAPE_TEXT - (size_t)length, "%s%llu", d ? ", " : "",
                           (unsigned long long)array->shape[d]);
    if (length < NPY_SHAPE_TEXT)
        snprintf(text + length, NPY_SHAPE_TEXT - (size_t)length, "%s)", array->rank == 1 ? "," : "");
    return text;
}
