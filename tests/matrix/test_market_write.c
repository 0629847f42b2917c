/* Matrix Market's files: what is written of each kind of values, and what cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "matrix/matrix.h"

static const char *const plain = "written.mtx", *const compressed = "written.mtx.gz";

static void check_written(const struct matrix *matrix, const char *expected) {
    struct base_error error;
    char text[1000] = "";
    for (int form = 0; form < 2; form++) {
        FILE *file = fopen(form ? compressed : plain, "wb");
        assert_non_null(file);
        if (!matrix_write(matrix, file, form ? compressed : plain, NULL, &error))
            fail_msg("%s", error.text);
        assert_int_equal(fclose(file), 0);
        gzFile again = gzopen(form ? compressed : plain, "rb");
        assert_int_equal(gzdirect(again), !form);
        const int length = gzread(again, text, sizeof text - 1);
        assert_true(length >= 0);
        text[length] = 0;
        gzclose(again);
        assert_string_equal(text, expected);
    }
}

static void each_kind_is_written(void **unused) {
    (void)unused;
    uint32_t pointers[] = {0, 1, 1, 3}, indices[] = {1, 0, 1};
    uint64_t wide_pointers[] = {0, 1, 1, 3}, wide_indices[] = {1, 0, 1};
    const struct {
        enum matrix_kind kind;
        unsigned width;
        const void *values;
        const char *field, *value[3];
    } cases[] = {
        {MATRIX_PATTERN, 0, NULL, "pattern", {"", "", ""}},
        {MATRIX_BOOL, 1, "\1\0\1", "integer", {" 1", " 0", " 1"}},
        {MATRIX_SIGNED, 1, (int8_t[]){-128, 0, 127}, "integer", {" -128", " 0", " 127"}},
        {MATRIX_SIGNED, 2, (int16_t[]){-32768, 0, 1}, "integer", {" -32768", " 0", " 1"}},
        {MATRIX_SIGNED, 4, (int32_t[]){INT32_MIN, 0, 1}, "integer", {" -2147483648", " 0", " 1"}},
        {MATRIX_SIGNED, 8, (int64_t[]){INT64_MIN, 0, 1}, "integer", {" -9223372036854775808", " 0", " 1"}},
        {MATRIX_UNSIGNED, 1, (uint8_t[]){255, 0, 1}, "integer", {" 255", " 0", " 1"}},
        {MATRIX_UNSIGNED, 4, (uint32_t[]){UINT32_MAX, 0, 1}, "integer", {" 4294967295", " 0", " 1"}},
        {MATRIX_UNSIGNED,
         8,
         (uint64_t[]){UINT64_MAX, 0, 1},
         "unsigned-integer",
         {" 18446744073709551615", " 0", " 1"}},
        {MATRIX_REAL, 2, (uint16_t[]){0x3e00, 0x8000, 1}, "real", {" 1.5", " -0", " 6e-8"}},
        {MATRIX_REAL, 4, (float[]){0.1F, -1, 1e20F}, "real", {" 0.1", " -1", " 1e20"}},
        {MATRIX_REAL, 8, (double[]){0.1, -1, 1e20}, "real", {" 0.1", " -1", " 1e20"}},
        {MATRIX_COMPLEX, 8, (float[]){0.1F, -1, 1, 2, 3, 4}, "complex", {" 0.1 -1", " 1 2", " 3 4"}},
        {MATRIX_COMPLEX, 16, (double[]){0.1, -1, 1, 2, 3, 4}, "complex", {" 0.1 -1", " 1 2", " 3 4"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
            char expected[400];
            struct matrix matrix = {.rows = 3,
                                    .cols = 2,
                                    .entries = 3,
                                    .index_bytes = bytes,
                                    .kind = cases[i].kind,
                                    .width = cases[i].width};
            matrix.pointers = bytes == 4 ? (void *)pointers : wide_pointers;
            matrix.indices = bytes == 4 ? (void *)indices : wide_indices;
            matrix.values = (void *)(uintptr_t)cases[i].values;
            snprintf(expected, sizeof expected,
                     "%%%%MatrixMarket matrix coordinate %s general\n3 2 3\n1 2%s\n3 1%s\n3 2%s\n",
                     cases[i].field, cases[i].value[0], cases[i].value[1], cases[i].value[2]);
            check_written(&matrix, expected);
        }
    uint32_t none[] = {0};
    const struct matrix empty = {
        .rows = 0, .cols = 7, .index_bytes = 4, .kind = MATRIX_REAL, .width = 8, .pointers = none};
    check_written(&empty, "%%MatrixMarket matrix coordinate real general\n0 7 0\n");
}

static void what_cannot_be_written(void **unused) {
    (void)unused;
    struct base_error error;
    uint32_t none[] = {0};
    struct matrix matrix = {.index_bytes = 4, .kind = MATRIX_REAL, .width = 16, .pointers = none};
    FILE *file = fopen("/dev/full", "w");
    assert_non_null(file);
    assert_false(matrix_write(&matrix, file, "a.mtx", NULL, &error));
    assert_string_equal(error.text,
                        "a.mtx: a .mtx has reals of 64 bits at most, and these have 128; write a .npz");
    assert_false(matrix_write(&matrix, file, "a.txt", NULL, &error));
    matrix.width = 8;
    setvbuf(file, NULL, _IONBF, 0);
    static const char *const paths[] = {"a.mtx", "a.mtx.gz", "a.npz"};
    for (int i = 0; i < 3; i++) {
        assert_false(matrix_write(&matrix, file, paths[i], NULL, &error));
        assert_non_null(strstr(error.text, "it cannot be written: No space left on device"));
    }
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_written),
        cmocka_unit_test(what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
