/* SciPy's .npz: what a file that cannot be read is refused with.  tests/cli/test_sparse_files.py has the
 * rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "matrix/matrix.h"

static const char *const path = "matrix.npz";

/* Which call of pread() fails, from 1 on; 0: none does. */
static int failing, calls;
ssize_t __real_pread(int file, void *to, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t offset) {
    if (++calls != failing)
        return __real_pread(file, to, bytes, offset);
    errno = EIO;
    return -1;
}

/* The memory that is available, which nothing larger is taken of. */
static uint64_t available = UINT64_MAX;
uint64_t __wrap_base_available_memory(void);
uint64_t __wrap_base_available_memory(void) {
    return available;
}

/* A row of two entries. */
static void put(void) {
    uint32_t pointers[] = {0, 2}, indices[] = {0, 2};
    double values[] = {1, 2};
    const struct matrix matrix = {1, 3, 2, 4, MATRIX_REAL, 8, false, pointers, indices, values};
    struct base_error error;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(matrix_write(&matrix, file, path, NULL, &error));
    assert_int_equal(fclose(file), 0);
}

static void a_file_that_cannot_be_read(void **unused) {
    (void)unused;
    struct matrix matrix;
    struct base_error error;
    put();
    failing = calls = 0;
    assert_true(matrix_read(&matrix, path, NULL, &error));
    matrix_free(&matrix);
    const int all = calls;
    assert_true(all > 10);
    for (failing = 1; failing <= all; failing++) {
        calls = 0;
        if (matrix_read(&matrix, path, NULL, &error))
            fail_msg("read, although its part %d cannot be", failing);
        if (!strstr(error.text, path) || !strstr(error.text, "cannot be read: Input/output error"))
            fail_msg("part %d: \"%s\"", failing, error.text);
    }
    failing = 0;
    unlink(path);
}

static void a_file_that_is_larger_than_memory(void **unused) {
    (void)unused;
    struct matrix matrix;
    struct base_error error;
    put();
    /* Twice two entries of 12 bytes, 2 pointers of rows and 4 of columns. */
    for (available = 0; available < 72; available++)
        if (matrix_read(&matrix, path, NULL, &error) || !strstr(error.text, path) ||
            !strstr(error.text, "MiB of memory"))
            fail_msg("%d bytes: read, or \"%s\"", (int)available, error.text);
    assert_true(matrix_read(&matrix, path, NULL, &error));
    matrix_free(&matrix);
    available = UINT64_MAX;
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_cannot_be_read),
        cmocka_unit_test(a_file_that_is_larger_than_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
