/* Matrix Market's files: what is read of them, and what is refused and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "matrix/matrix.h"
#include "matrix/share.h"

#define HEAD(field, symmetry) "%%MatrixMarket matrix coordinate " field " " symmetry "\n"

static const char *const plain = "matrix.mtx", *const compressed = "matrix.mtx.gz";

static void put(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The memory that is available, which nothing larger is taken of. */
static uint64_t available = UINT64_MAX;
uint64_t __wrap_base_available_memory(void);
uint64_t __wrap_base_available_memory(void) {
    return available;
}

/* Appends a gzip file of its own. */
static void put_compressed(const char *text, const char *mode) {
    gzFile file = gzopen(compressed, mode);
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
}

/* The entries as "0,1=2.5 ...", with indices from 0 on. */
static const char *entries_of(const struct matrix *matrix) {
    static char text[4000];
    size_t length = 0;
    text[0] = 0;
    assert_int_equal(matrix->index_bytes, 4);
    const uint32_t *pointers = matrix->pointers, *indices = matrix->indices;
    for (uint32_t row = 0; row < matrix->rows; row++)
        for (uint32_t i = pointers[row]; i < pointers[row + 1]; i++) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%u,%u", length ? " " : "", row,
                                       indices[i]);
            const double *real = matrix->values;
            if (matrix->kind == MATRIX_REAL)
                length += (size_t)snprintf(text + length, sizeof text - length, "=%g", real[i]);
            else if (matrix->kind == MATRIX_COMPLEX)
                length += (size_t)snprintf(text + length, sizeof text - length, "=%g:%g", real[2 * i],
                                           real[2 * i + 1]);
            else if (matrix->kind == MATRIX_SIGNED)
                length += (size_t)snprintf(text + length, sizeof text - length, "=%lld",
                                           ((const long long *)matrix->values)[i]);
            else if (matrix->kind == MATRIX_UNSIGNED)
                length += (size_t)snprintf(text + length, sizeof text - length, "=%llu",
                                           ((const unsigned long long *)matrix->values)[i]);
        }
    return text;
}

static void files_that_are_right(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        enum matrix_kind kind;
        uint64_t rows, cols;
        const char *entries;
    } cases[] = {
        {HEAD("real", "general") "2 3 3\n1 3 1.5\n2 1 -2e-3\n1 1 7\n", MATRIX_REAL, 2, 3,
         "0,2=1.5 0,0=7 1,0=-0.002"},
        {HEAD("Real", "GENERAL") "% a comment\n%\n\n 2\t3 1 \n\n%more\n  2 \t 3  +1E2 ", MATRIX_REAL, 2, 3,
         "1,2=100"},
        {"%%matrixmarket MATRIX Coordinate integer general\r\n%c\r\n1 1 1\r\n\r\n1 1 "
         "-9223372036854775808\r\n",
         MATRIX_SIGNED, 1, 1, "0,0=-9223372036854775808"},
        {HEAD("unsigned-integer", "general") "1 1 1\n1 1 18446744073709551615", MATRIX_UNSIGNED, 1, 1,
         "0,0=18446744073709551615"},
        {HEAD("complex", "general") "1 2 2\n1 2 1 -2\n1 1 0 inf\n", MATRIX_COMPLEX, 1, 2,
         "0,1=1:-2 0,0=0:inf"},
        {HEAD("pattern", "general") "2 2 3\n2 2\n1 1\r\n2 1", MATRIX_PATTERN, 2, 2, "0,0 1,1 1,0"},
        {HEAD("real", "general") "0 5 0\n", MATRIX_REAL, 0, 5, ""},
        {HEAD("real", "general") "5 0 0", MATRIX_REAL, 5, 0, ""},
        {HEAD("real", "general") "1 1 2\n1 1 2\n1 1 1\n", MATRIX_REAL, 1, 1, "0,0=2 0,0=1"}, /* both stay */
        {HEAD("real", "symmetric") "3 3 3\n1 1 1\n2 1 2\n2 3 3\n", MATRIX_REAL, 3, 3,
         "0,0=1 0,1=2 1,0=2 1,2=3 2,1=3"},
        {HEAD("pattern", "symmetric") "2 2 1\n2 1\n", MATRIX_PATTERN, 2, 2, "0,1 1,0"},
        {HEAD("integer", "skew-symmetric") "2 2 1\n2 1 5\n", MATRIX_SIGNED, 2, 2, "0,1=-5 1,0=5"},
        {HEAD("real", "skew-symmetric") "2 2 1\n2 1 .5\n", MATRIX_REAL, 2, 2, "0,1=-0.5 1,0=0.5"},
        {HEAD("complex", "skew-symmetric") "2 2 1\n2 1 1 2\n", MATRIX_COMPLEX, 2, 2, "0,1=-1:-2 1,0=1:2"},
        {HEAD("complex", "symmetric") "2 2 1\n2 1 1 2\n", MATRIX_COMPLEX, 2, 2, "0,1=1:2 1,0=1:2"},
        {HEAD("complex", "hermitian") "2 2 2\n2 1 1 2\n2 2 3 0\n", MATRIX_COMPLEX, 2, 2,
         "0,1=1:-2 1,0=1:2 1,1=3:0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int form = 0; form < 2; form++) {
            struct matrix matrix;
            struct base_error error;
            put(plain, cases[i].text, strlen(cases[i].text));
            put_compressed(cases[i].text, "wb");
            if (!matrix_read(&matrix, form ? compressed : plain, NULL, &error))
                fail_msg("%s", error.text);
            assert_int_equal(matrix.kind, cases[i].kind);
            assert_int_equal(matrix.width, cases[i].kind == MATRIX_PATTERN   ? 0
                                           : cases[i].kind == MATRIX_COMPLEX ? 16
                                                                             : 8);
            assert_int_equal(matrix.rows, cases[i].rows);
            assert_int_equal(matrix.cols, cases[i].cols);
            assert_string_equal(entries_of(&matrix), cases[i].entries);
            matrix_free(&matrix);
        }
}

/* ---------------------------------------------------------------- what is refused */

static void expect_refusal(const char *path, const char *says, bool usage) {
    struct matrix matrix;
    struct base_error error = {.text = ""};
    if (matrix_read(&matrix, path, NULL, &error))
        fail_msg("read, and not refused: %s", says);
    if (!strstr(error.text, says) || !strstr(error.text, path) || strchr(error.text, '\n') ||
        error.usage != usage)
        fail_msg("\"%s\" should have \"%s\"", error.text, says);
}

static void files_that_are_wrong(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "it ends before its line of sizes"},
        {"\n", "line 1: it is no Matrix Market file"},
        {"hello\n", "line 1: it is no Matrix Market file: it does not begin with %%MatrixMarket"},
        {"%%MatrixMarket\n", "line 1: its object is ''; known: matrix"},
        {"%%MatrixMarket vector coordinate real general\n", "its object is 'vector'"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n",
         "line 1: its format is 'array', a dense matrix"},
        {"%%MatrixMarket matrix graph real general\n", "its format is 'graph'; known: coordinate, array"},
        {HEAD("quaternion", "general"),
         "its field is 'quaternion'; known: pattern, integer, unsigned-integer, real, complex"},
        {HEAD("real", "upper"),
         "its symmetry is 'upper'; known: general, symmetric, skew-symmetric, hermitian"},
        {HEAD("pattern", "skew-symmetric"), "a matrix with the field 'pattern' cannot be skew-symmetric"},
        {HEAD("unsigned-integer", "skew-symmetric"), "'unsigned-integer' cannot be skew-symmetric"},
        {HEAD("real", "hermitian"), "'real' cannot be hermitian"},
        {HEAD("real", "general"), "it ends before its line of sizes"},
        {HEAD("real", "general") "% 1 1 1\n", "it ends before its line of sizes"},
        {HEAD("real", "general") "%\n3 3\n",
         "line 3: it should have the numbers of rows, of columns and of entries"},
        {HEAD("real", "general") "3 3 1.5\n", "line 2: '1.5' is no number of rows, columns or entries"},
        {HEAD("real", "general") "3 -3 1\n", "'-3' is no number of rows"},
        {HEAD("real", "general") "3 3 99999999999999999999\n", "'99999999999999999999' is no number of rows"},
        {HEAD("real", "general") "3 3 1 4\n", "'4' follows the numbers of rows"},
        {HEAD("real", "general") "4294967297 3 1\n",
         "4294967297 rows, 3 columns and 1 entries are too many: at most 2^32, 2^32 and 2^42"},
        {HEAD("real", "general") "3 4294967297 1\n", "are too many"},
        {HEAD("real", "general") "3 3 4398046511105\n", "are too many"},
        {HEAD("real", "symmetric") "3 3 4398046511104\n", "at most 2^32, 2^32 and 2^41"},
        {HEAD("real", "general") "0 3 1\n",
         "a matrix without rows or columns has no entries, but there are 1"},
        {HEAD("real", "symmetric") "3 4 1\n",
         "a symmetric matrix is square, but this has 3 rows and 4 columns"},
        {HEAD("real", "general") "3 3 4398046511104\n1 1 1\n",
         "it has 1 entry, but 4398046511104 by its line 2"},
        {HEAD("real", "general") "3 3 2\n1 1 1\n", "it has 1 entry, but 2 by its line 2"},
        {HEAD("real", "general") "3 3 1\n1 1 1\n1 1 1\n", "it has more entries than the 1 of its line 2"},
        {HEAD("real", "general") "3 3 1\n0 1 1\n", "line 3: its row is 0, which is not among 1 to 3"},
        {HEAD("real", "general") "3 3 1\n4 1 1\n", "line 3: its row is 4"},
        {HEAD("real", "general") "3 3 1\n\n%\n1 4 1\n", "line 5: its column is 4, which is not among 1 to 3"},
        {HEAD("real", "general") "3 3 1\n4294967297 1 1\n", "its row is 4294967297"},
        {HEAD("real", "general") "3 3 1\n99999999999999999999 1 1\n", "'99999999999999999999' is no row"},
        {HEAD("real", "general") "3 3 1\n-1 1 1\n", "'-1' is no row"},
        {HEAD("real", "general") "3 3 1\n1.0 1 1\n", "'1.0' is no row"},
        {HEAD("real", "general") "3 3 1\n1\n", "line 3: it ends before its column"},
        {HEAD("real", "general") "3 3 1\n1 1", "line 3: it ends before its real number"},
        {HEAD("real", "general") "3 3 1\n1 1 1.0D3\n", "'1.0D3' is no real number"},
        {HEAD("real", "general") "3 3 1\n1 1 0x10\n", "'0x10' is no real number"},
        {HEAD("real", "general") "3 3 1\n1 1 1e\n", "'1e' is no real number"},
        {HEAD("real", "general") "3 3 1\n1 1 1,5\n", "'1,5' is no real number"},
        {HEAD("real", "general") "3 3 1\n1 1 1 2\n", "line 3: '2' follows its entry"},
        {HEAD("pattern", "general") "3 3 1\n1 1 1\n", "'1' follows its entry"},
        {HEAD("integer", "general") "3 3 1\n1 1 1.5\n", "'1.5' is no integer of 64 bits"},
        {HEAD("integer", "general") "3 3 1\n1 1 9223372036854775808\n",
         "'9223372036854775808' is no integer of 64 bits"},
        {HEAD("unsigned-integer", "general") "3 3 1\n1 1 -1\n", "'-1' is no unsigned integer of 64 bits"},
        {HEAD("complex", "general") "3 3 1\n1 1 1\n", "it ends before its imaginary part"},
        {HEAD("complex", "general") "3 3 1\n1 1 i 1\n", "'i' is no real part"},
        {HEAD("real", "skew-symmetric") "3 3 1\n2 2 1\n",
         "a skew-symmetric matrix has no entries on its diagonal"},
        {HEAD("integer", "skew-symmetric") "3 3 1\n2 1 -9223372036854775808\n",
         "its value's negative is no integer of 64 bits"},
        {HEAD("real", "general") "3 3 1\n1 1 \001\033[2J\n", "'??[2J' is no real number"},
        {HEAD("real", "general") "3 3 1\n1 1 aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee\n",
         "'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd...' is no real number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(plain, cases[i].text, strlen(cases[i].text));
        expect_refusal(plain, cases[i].says, false);
    }
    static const char zero[] = HEAD("real", "general") "3 3 1\n1 1 1\0002\n",
                      head[] = "%%MatrixMarket\0matrix";
    put(plain, zero, sizeof zero - 1);
    expect_refusal(plain, "line 3: '1?2' is no real number", false);
    put(plain, head, sizeof head);
    expect_refusal(plain, "line 1: it is no Matrix Market file", false);
}

static void files_that_are_none(void **unused) {
    (void)unused;
    expect_refusal("absent.mtx", "cannot be opened: No such file", true);
    expect_refusal("matrix.txt", "its name ends in none of .mtx, .mtx.gz and .npz", true);
    expect_refusal("mtx", "its name ends in none of", true);
    assert_int_equal(symlink("/dev/null", "null.mtx"), 0);
    expect_refusal("null.mtx", "is no regular file", true);
    assert_int_equal(unlink("null.mtx"), 0);
}

static void files_that_are_larger_than_memory(void **unused) {
    (void)unused;
    const char rows[] = HEAD("pattern", "general") "2147483648 1 1\n7 1\n",
               cols[] = HEAD("pattern", "general") "1 2147483648 1\n1 7\n",
               entries[] = HEAD("complex", "general") "1 1 9\n", few[] = HEAD("complex", "general") "1 1 0\n";
    struct matrix matrix;
    struct base_error error;
    available = 16 << 20;
    put(plain, rows, sizeof rows - 1);
    expect_refusal(plain, "it needs 8192.0 MiB of memory, and 16.0 MiB are available", false);
    put(plain, cols, sizeof cols - 1);
    expect_refusal(plain, "it needs 8192.0 MiB of memory", false);
    available = 16 + 2 * 9 * 20 - 1;
    put(plain, entries, sizeof entries - 1); /* 9 entries of 20 bytes twice, and two times two pointers */
    expect_refusal(plain, "0.0 MiB of memory", false);
    available++;
    expect_refusal(plain, "it has 0 entries, but 9", false);
    const char both[] = HEAD("complex", "symmetric") "2 2 9\n"; /* 7 entries more, and 2 pointers */
    available = 6 * 4 + 2 * 16 * 20;
    put(plain, both, sizeof both - 1);
    expect_refusal(plain, "it has 0 entries, but 9", false);
    available--;
    expect_refusal(plain, "0.0 MiB of memory", false);
    available = 16;
    put(plain, few, sizeof few - 1);
    assert_true(matrix_read(&matrix, plain, NULL, &error));
    matrix_free(&matrix);
    available = UINT64_MAX;
}

static void compressed_files(void **unused) {
    (void)unused;
    struct matrix matrix;
    struct base_error error;
    put_compressed(HEAD("real", "general") "2 2 2\n1 1", "wb");
    put_compressed(" 1.5\n2 2 3\n", "ab"); /* two gzip files, one behind the other, are one text */
    assert_true(matrix_read(&matrix, compressed, NULL, &error));
    assert_string_equal(entries_of(&matrix), "0,0=1.5 1,1=3");
    matrix_free(&matrix);
    /* A file that is not compressed is read as it is. */
    const char text[] = HEAD("pattern", "general") "1 1 1\n1 1\n";
    put(compressed, text, sizeof text - 1);
    assert_true(matrix_read(&matrix, compressed, NULL, &error));
    matrix_free(&matrix);

    unsigned char bytes[1000];
    put_compressed(HEAD("real", "general") "2 2 2\n1 1 1.5\n2 2 3\n", "wb");
    FILE *file = fopen(compressed, "rb");
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 11; cut < length; cut++) {
        put(compressed, bytes, cut);
        expect_refusal(compressed, "its compressed data are cut short", false);
    }
    bytes[length - 8] ^= 1; /* of the checksum */
    put(compressed, bytes, length);
    expect_refusal(compressed, "its compressed data are damaged", false);
}

/* ---------------------------------------------------------------- long files */

enum { LONG = 400000 }; /* lines: several blocks of text, each read by several threads */

static void write_long(unsigned wrong_line, const char *wrong) {
    FILE *file = fopen(plain, "w");
    assert_non_null(file);
    fprintf(file, "%s%d %d %d\n", HEAD("integer", "general"), LONG, LONG, LONG);
    for (unsigned line = 3; line < LONG + 3; line++)
        if (line == wrong_line)
            fprintf(file, "%s\n", wrong);
        else
            fprintf(file, "%u %u %u\n", LONG + 3 - line, line - 2, line);
    assert_int_equal(fclose(file), 0);
}

static void entries_of_long_files_are_in_their_order(void **unused) {
    (void)unused;
    struct matrix matrix, transposed;
    struct base_error error;
    write_long(0, NULL);
    assert_true(matrix_read(&matrix, plain, NULL, &error));
    assert_true(matrix_transpose(&transposed, &matrix, &error));
    assert_int_equal(matrix.entries, LONG);
    for (unsigned i = 0; i < LONG; i++) {
        assert_int_equal(((const uint32_t *)matrix.pointers)[i], i);
        assert_int_equal(((const uint32_t *)matrix.indices)[i], LONG - 1 - i);
        assert_int_equal(((const int64_t *)matrix.values)[i], LONG + 2 - i);
        assert_int_equal(((const uint32_t *)transposed.indices)[i], LONG - 1 - i);
        assert_int_equal(((const int64_t *)transposed.values)[i], i + 3);
    }
    matrix_free(&matrix);
    matrix_free(&transposed);
}

static void an_error_names_its_line(void **unused) {
    (void)unused;
    char says[100];
    for (unsigned line = LONG / 3; line < LONG + 3; line += LONG / 3) {
        write_long(line, "1 1 x");
        snprintf(says, sizeof says, "line %u: 'x' is no integer", line);
        expect_refusal(plain, says, false);
    }
}

static void a_line_of_any_length_but_one_is_read(void **unused) {
    (void)unused;
    const size_t spaces = 400 << 10; /* more than what a thread reads at a time */
    const size_t length = (1000 << 10) + matrix_threads() * (1 << 20); /* more than a block */
    char *text = malloc(length);
    struct matrix matrix;
    struct base_error error;
    assert_non_null(text);
    int head = sprintf(text, "%s2 2 2\n1 1 5", HEAD("integer", "general"));
    memset(text + head, ' ', spaces);
    const int tail = sprintf(text + (size_t)head + spaces, "\n2 1 6\n");
    put(plain, text, (size_t)head + spaces + (size_t)tail);
    assert_true(matrix_read(&matrix, plain, NULL, &error));
    assert_string_equal(entries_of(&matrix), "0,0=5 1,0=6");
    matrix_free(&matrix);
    memset(text + head, ' ', length - (size_t)head);
    put(plain, text, length);
    expect_refusal(plain, "it has a line of more than", false);
    free(text);
    unlink(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_right),    cmocka_unit_test(files_that_are_wrong),
        cmocka_unit_test(files_that_are_none),     cmocka_unit_test(files_that_are_larger_than_memory),
        cmocka_unit_test(compressed_files),        cmocka_unit_test(entries_of_long_files_are_in_their_order),
        cmocka_unit_test(an_error_names_its_line), cmocka_unit_test(a_line_of_any_length_but_one_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
