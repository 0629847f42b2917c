/* Headers of .npy files: what is read of them, what is refused and in which words, and what is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy/header.h"

/* A file of format `version` with this dictionary.  In memory of its own size, so that a sanitizer sees what
 * is read beyond it. */
static unsigned char *make_file(int version, const char *text, size_t *length) {
    size_t size = strlen(text), start = version == 1 ? 10 : 12;
    unsigned char *file = malloc(start + size);
    assert_non_null(file);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 8; i < start; i++)
        file[i] = (unsigned char)(size >> 8 * (i - 8));
    memcpy(file + start, text, size);
    *length = start + size;
    return file;
}

static bool read(int version, const char *text, struct npy_array *array, struct base_error *error) {
    size_t length;
    unsigned char *file = make_file(version, text, &length);
    assert_int_equal(npy_header_length(file, length < NPY_PREFIX ? length : NPY_PREFIX, error), length);
    bool good = npy_header_parse(array, file, length, error);
    free(file);
    return good;
}

static void headers_that_are_right(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned rank;
        bool fortran;
        uint64_t elements, bytes;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n", 2, false, 12, 48},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4)}", 2, true, 12, 48},
        {"{'shape': (), 'fortran_order': False, 'descr': '|S5'}", 0, false, 1, 5},
        {"{\"descr\":\"<U3\",\"fortran_order\":False,\"shape\":(2,)}", 1, false, 2, 24},
        {" \t{ 'descr' : '>c16' , 'fortran_order' : False , 'shape' : ( 2 , 5 , ) , } ", 2, false, 10, 160},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (10L, 2L), }", 2, false, 20, 160}, /* Python 2 */
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 9223372036854775807, 9223372036854775807)}",
         3, false, 0, 0},
        {"{'descr': '|V0', 'fortran_order': False, 'shape': (5,)}", 1, false, 5, 0},
        {"{'descr': [], 'fortran_order': False, 'shape': (5,)}", 1, false, 5, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int version = 1; version <= 3; version++) {
            struct npy_array array;
            struct base_error error;
            assert_true(read(version, cases[i].text, &array, &error));
            assert_int_equal(array.rank, cases[i].rank);
            assert_int_equal(array.fortran, cases[i].fortran);
            assert_int_equal(array.elements, cases[i].elements);
            assert_int_equal(array.bytes, cases[i].bytes);
            assert_int_equal(array.data, strlen(cases[i].text) + (version == 1 ? 10 : 12));
            npy_array_free(&array);
        }
}

#define HEADER(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2,)}"
#define SHAPE(shape)  "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
#define FOUR(text)    text text text text

static void headers_that_are_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "a value is missing at byte 0"},
        {"{", "a value is missing at byte 1"},
        {"{'descr': '<f4'", "a ',' or a closing bracket is missing at byte 15"},
        {"{'descr': '<f4}", "a string does not end at byte 10"},
        {"{'descr' '<f4'}", "a ':' is missing at byte 9"},
        {"{'descr'}", "a ':' is missing at byte 8"},
        {"{'descr',}", "a ':' is missing"},
        {"{'descr': }", "no Python literal stands at byte 10"},
        {"{,}", "no Python literal stands at byte 1"},
        {"[1, 2]", "no dictionary"},
        {"{'descr': '<f4'}", "lacks 'fortran_order'"},
        {"{}", "lacks 'descr'"},
        {HEADER("'<f4', 'descr': '<f4'"), "a key twice"},
        {HEADER("'<f4', 'more': 1"), "another than"},
        {HEADER("'<f4', 1: 1"), "another than"},
        {HEADER("'<f4'") "x", "more than one literal"},
        {HEADER("__import__('os').system('true')"), "no Python literal stands at byte 10"},
        {HEADER("1 + 1"), "is missing at byte 12"},
        {HEADER("-"), "a number is missing"},
        {HEADER("99999999999999999999"), "more than 64 bits"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "neither True nor False"},
        {SHAPE("[2]"), "its shape is no tuple"},
        {SHAPE("2"), "its shape is no tuple"},
        {SHAPE("(2)"), "a ',' is missing in a tuple of one item"},
        {SHAPE("(-2,)"), "no size"},
        {SHAPE("(2.5,)"), "is missing"},
        {SHAPE("(True,)"), "no size"},
        {SHAPE("(9223372036854775808,)"), "more than 63 bits"},
        {SHAPE("(4611686018427387904, 2)"), "more elements than any file can hold"},
        {SHAPE("(2305843009213693952,)"), "more elements than any file can hold"},
        {SHAPE("(" FOUR(FOUR(FOUR("1,"))) "1)"), "has 65 dimensions"},
        {HEADER("'|O'"), "pickles are refused"},
        {HEADER("'O'"), "pickles are refused"},
        {HEADER("[('a', '<f4'), ('b', [('c', '|O')])]"), "pickles are refused"},
        {HEADER("''"), "is none of NumPy's"},
        {HEADER("'<'"), "is none of NumPy's"},
        {HEADER("'<f3'"), "the type '<f3' is none of NumPy's"},
        {HEADER("'<i16'"), "is none of NumPy's"},
        {HEADER("'<f'"), "is none of NumPy's"},
        {HEADER("'float32'"), "is none of NumPy's"},
        {HEADER("'<f4 '"), "is none of NumPy's"},
        {HEADER("'<M8[x]'"), "is none of NumPy's"},
        {HEADER("'<M8[3]'"), "is none of NumPy's"},
        {HEADER("'<M8[ns'"), "is none of NumPy's"},
        {HEADER("'<f4[ns]'"), "is none of NumPy's"},
        {HEADER("'\\x3cf4'"), "is none of NumPy's"},
        {HEADER("'|S2147483648'"), "more than 2^31 - 1 bytes"},
        {HEADER("'<U536870912'"), "more than 2^31 - 1 bytes"},
        {HEADER("'|S99999999999999999999999'"), "more than 2^31 - 1 bytes"},
        {HEADER("{'names': ['a'], 'formats': ['<f4']}"), "is none that NumPy writes"},
        {HEADER("('<f4', (3,))"), "is none that NumPy writes"},
        {HEADER("None"), "is none that NumPy writes"},
        {HEADER("[1]"), "is no field"},
        {HEADER("[('a',)]"), "is no field"},
        {HEADER("[('a', '<f4', (1,), 2)]"), "is no field"},
        {HEADER("[(1, '<f4')]"), "is no name of a field"},
        {HEADER("[('', '<f4')]"), "without a name"},
        {HEADER("[('a', '<f4'), ('a', '<f4')]"), "two of its fields are called 'a'"},
        {HEADER("[('a', '<f4'), ('\\x61', '<f4')]"), "two of its fields are called 'a'"},
        {HEADER("[('a\\x00', '<f4')]"), "stands for no character"},
        {HEADER("[('\\ud800', '<f4')]"), "stands for no character"},
        {HEADER("[('\\U00110000', '<f4')]"), "stands for no character"},
        {HEADER("[('\\q', '<f4')]"), "stands for no character"},
        {HEADER("[('\\x1', '<f4')]"), "stands for no character"},
        {HEADER("[('a', '<f4', (-1,))]"), "no sub-array's shape"},
        {HEADER("[('a', '<f4', '3')]"), "no sub-array's shape"},
        {HEADER("[('a', '<f4', (2147483647, 2147483647))]"), "more than 2^31 - 1 bytes"},
        {HEADER("[('a', '|S2000000000'), ('b', '|S2000000000')]"), "more than 2^31 - 1 bytes"},
        {HEADER(FOUR(FOUR(FOUR("["))) "["), "too many brackets"},
        {HEADER(FOUR(FOUR(FOUR("{1:"))) "{"), "too many brackets"},
        {HEADER("'\x1b[31m'"), "the type '?[31m' is none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct npy_array array;
        struct base_error error = {.text = ""};
        assert_false(read(1, cases[i].text, &array, &error));
        if (!strstr(error.text, cases[i].says))
            fail_msg("%s: '%s' does not say '%s'", cases[i].text, error.text, cases[i].says);
        assert_false(error.usage);
    }
}

static void beginnings(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *says;
    } cases[] = {
        {"", 0, "no .npy file"},
        {"\x93NUM", 4, "ends within its header"},
        {"\x93NUMPX\1\0\1\0", 10, "no .npy file"},
        {"PK\3\4", 4, "zip archive"},
        {"\x80\4\x95", 3, "no .npy file"},
        {"\x93NUMPY\1\0\1", 9, "ends within its header"},
        {"\x93NUMPY\2\0\1\0\0", 11, "ends within its header"},
        {"\x93NUMPY\0\0\1\0\0\0", 12, "format 0.0"},
        {"\x93NUMPY\4\0\1\0\0\0", 12, "format 4.0"},
        {"\x93NUMPY\1\1\1\0\0\0", 12, "format 1.1"},
        {"\x93NUMPY\2\0\377\377\377\377", 12, "4294967295 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_error error = {.text = ""};
        assert_int_equal(npy_header_length((const unsigned char *)cases[i].bytes, cases[i].length, &error),
                         0);
        assert_non_null(strstr(error.text, cases[i].says));
    }
}

static void every_plain_type(void **state) {
    (void)state;
    static const struct {
        const char *descr;
        uint64_t bytes;
        bool can_add;
    } cases[] = {
        {"'|b1'", 1, false},
        {"'|i1'", 1, true},
        {"'<i2'", 2, true},
        {"'>i4'", 4, false},
        {"'=i8'", 8, true},
        {"'|u1'", 1, true},
        {"'>u1'", 1, true},
        {"'<u2'", 2, true},
        {"'<u4'", 4, true},
        {"'<u8'", 8, true},
        {"'<f2'", 2, true},
        {"'<f4'", 4, true},
        {"'<f8'", 8, true},
        {"'<f16'", 16, false},
        {"'<f12'", 12, false},
        {"'<c8'", 8, true},
        {"'<c16'", 16, true},
        {"'>c16'", 16, false},
        {"'<c32'", 32, false},
        {"'<c24'", 24, false},
        {"'|S0'", 0, false},
        {"'|S7'", 7, false},
        {"'|a7'", 7, false},
        {"'<U7'", 28, false},
        {"'|V9'", 9, false},
        {"'<M8'", 8, false},
        {"'<M8[ns]'", 8, false},
        {"'>m8[25s]'", 8, false},
        {"'<m8[D/7]'", 8, false},
        {"'<M8[generic]'", 8, false},
        {"'|S2147483647'", INT32_MAX, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        struct npy_array array;
        struct base_error error = {.text = ""};
        snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': (2,)}", cases[i].descr);
        if (!read(1, text, &array, &error))
            fail_msg("%s: %s", cases[i].descr, error.text);
        assert_string_equal(array.dtype.text, cases[i].descr);
        assert_int_equal(array.dtype.bytes, cases[i].bytes);
        assert_int_equal(array.dtype.can_add, cases[i].can_add);
        assert_int_equal(array.dtype.field_count, 0);
        npy_array_free(&array);
    }
}

static void structures(void **state) {
    (void)state;
    /* Padding, a title, a sub-array of a nested structure, and names in need of escapes. */
    static const char text[] =
        HEADER("[('a', '|i1'), ('', '|V3'), (('title', 'b'), '<f4', (2, 3)), ('it\\'s', [('x', "
               "'<i2'), ('', '|V2')], (2,)), (\"\\xe9\\u4e2d\", '<M8[D]', 2), ('\\\\', '|V1')]");
    struct npy_array array;
    struct base_error error = {.text = ""};
    assert_true(read(1, text, &array, &error));
    static const struct {
        const char *name, *text;
        uint64_t offset, bytes;
        unsigned rank;
    } fields[] = {
        {"a", "'|i1'", 0, 1, 0},
        {"b", "'<f4'", 4, 24, 2},
        {"it's", "[('x', '<i2'), ('', '|V2')]", 28, 8, 1},
        {"\xc3\xa9\xe4\xb8\xad", "'<M8[D]'", 36, 16, 1},
        {"\\", "'|V1'", 52, 1, 0},
    };
    assert_int_equal(array.dtype.bytes, 53);
    assert_int_equal(array.dtype.field_count, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct npy_field *field = &array.dtype.fields[i];
        assert_string_equal(field->name, fields[i].name);
        assert_string_equal(field->text, fields[i].text);
        assert_int_equal(field->offset, fields[i].offset);
        assert_int_equal(field->bytes, fields[i].bytes);
        assert_int_equal(field->rank, fields[i].rank);
    }
    assert_int_equal(array.dtype.fields[1].shape[1], 3);
    npy_array_free(&array);
}

static void encodings(void **state) {
    (void)state;
    static const char latin[] = HEADER("[('\xe9', '<f4')]"), utf8[] = HEADER("[('\xc3\xa9', '<f4')]");
    struct npy_array one, other;
    struct base_error error;
    assert_true(read(1, latin, &one, &error));
    assert_true(read(3, utf8, &other, &error));
    assert_string_equal(one.dtype.fields[0].name, "\xc3\xa9");
    assert_true(npy_dtype_same(&one.dtype, &other.dtype));
    npy_array_free(&other);
    assert_false(read(3, latin, &other, &error));
    assert_string_equal(error.text, "its header is no text");
    assert_true(read(2, utf8, &other, &error)); /* two characters of Latin-1 */
    assert_false(npy_dtype_same(&one.dtype, &other.dtype));
    npy_array_free(&other);
    npy_array_free(&one);
    size_t length;
    unsigned char *file = make_file(1, HEADER("'<f4'"), &length);
    file[15] = 0;
    assert_false(npy_header_parse(&one, file, length, &error));
    assert_string_equal(error.text, "its header is no text");
    free(file);
}

static void same_types(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"'<f4'", "\"<f4\"", true},
        {"'<f4'", "'>f4'", false},
        {"[('a', '<f4', (2,))]", "[ ( \"\\x61\" ,'<f4',(2,), ) ]", true},
        {"[('a', '<f4', (2,))]", "[('a', '<f4', (3,))]", false},
        {"[('a', '<f4', (2,))]", "[('a', '<f4', (2, 2))]", false},
        {"[('a', '<f4', (2,))]", "[('a', '<f4', 2)]", false},
        {"[('a', '<f4'), ('b', '<f4')]", "[('a', '<f4')]", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct npy_dtype a = {.text = strdup(cases[i].a)}, b = {.text = strdup(cases[i].b)};
        assert_int_equal(npy_dtype_same(&a, &b), cases[i].same);
        npy_dtype_free(&a);
        npy_dtype_free(&b);
    }
}

/* What numpy.save() of NumPy 2 writes. */
static void written_headers(void **state) {
    (void)state;
    static const uint64_t shape[] = {2, 3, 40};
    struct base_error error;
    size_t length;
    char *header = npy_header_make("'<f4'", 2, shape, &length, &error), expected[129];
    snprintf(expected, sizeof expected, "%-127s\n",
             "\x93NUMPY\1 \x76 {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    expected[7] = expected[9] = 0;
    assert_int_equal(length, 128);
    assert_memory_equal(header, expected, 128);
    free(header);
    for (unsigned rank = 0; rank <= 3; rank++) {
        struct npy_array array;
        header = npy_header_make("[('\xc3\xa9', '<f4')]", rank, shape, &length, &error);
        assert_int_equal(length % 64, 0);
        assert_int_equal(header[6], 1);
        assert_int_equal(npy_header_length((unsigned char *)header, 12, &error), length);
        assert_true(npy_header_parse(&array, (unsigned char *)header, length, &error));
        assert_int_equal(array.rank, rank);
        assert_memory_equal(array.shape, shape, rank * sizeof *shape);
        assert_string_equal(array.dtype.text, "[('\xc3\xa9', '<f4')]");
        npy_array_free(&array);
        free(header);
    }
}

/* Format 1.0 has room for 65535 bytes, 2.0 for more, and only 3.0 for characters beyond Latin-1. */
static void written_formats(void **state) {
    (void)state;
    struct base_error error;
    for (size_t fields = 1; fields <= 20000; fields *= 20) {
        char *type = malloc(20 * fields + 3), *at = type;
        *at++ = '[';
        for (size_t i = 0; i < fields; i++)
            at += sprintf(at, "('f%06zu', '|i1'),", i);
        strcpy(at, "]");
        size_t length;
        char *header = npy_header_make(type, 0, NULL, &length, &error);
        if (20 * fields > NPY_MOST_HEADER) {
            assert_null(header);
            assert_non_null(strstr(error.text, "262144"));
        } else {
            struct npy_array array;
            assert_int_equal(header[6], fields == 8000 ? 2 : 1);
            assert_int_equal(npy_header_length((unsigned char *)header, 12, &error), length);
            assert_true(npy_header_parse(&array, (unsigned char *)header, length, &error));
            assert_int_equal(array.dtype.field_count, fields);
            npy_array_free(&array);
        }
        free(header);
        free(type);
    }
    size_t length;
    char *header = npy_header_make("[('\xe4\xb8\xad', '<f4')]", 0, NULL, &length, &error);
    assert_int_equal(header[6], 3);
    assert_non_null(memmem(header, length, "'\xe4\xb8\xad'", 5));
    free(header);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_are_right),
        cmocka_unit_test(headers_that_are_wrong),
        cmocka_unit_test(beginnings),
        cmocka_unit_test(every_plain_type),
        cmocka_unit_test(structures),
        cmocka_unit_test(encodings),
        cmocka_unit_test(same_types),
        cmocka_unit_test(written_headers),
        cmocka_unit_test(written_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
