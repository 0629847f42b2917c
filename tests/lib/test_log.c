/* WIDELOAD_LOG: each operation logs one line, even if it calls others.  On the simulator, or the device that
 * WIDELOAD_DEVICE names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "device.h"

static char lines[4096];

static int open_logging(void **state) {
    return setenv("WIDELOAD_LOG", "1", 1) || open_device(state);
}

/* The library's output to stderr goes to `log` until logged() reads it. */
static int kept_stderr;
static FILE *log_file;

static void log_begin(void) {
    fflush(stderr);
    kept_stderr = dup(STDERR_FILENO);
    log_file = tmpfile();
    assert_non_null(log_file);
    assert_true(kept_stderr >= 0 && dup2(fileno(log_file), STDERR_FILENO) >= 0);
}

static void logged(wl_error error, const char *operation) {
    fflush(stderr);
    assert_true(dup2(kept_stderr, STDERR_FILENO) >= 0);
    close(kept_stderr);
    rewind(log_file);
    size_t length = fread(lines, 1, sizeof(lines) - 1, log_file);
    lines[length] = '\0';
    fclose(log_file);
    char expected[sizeof(lines)];
    snprintf(expected, sizeof(expected), "wideload: %s\n", wl_explain());
    if (error)
        fail_msg("%s", wl_message());
    assert_string_equal(lines, expected);
    char begin[64];
    snprintf(begin, sizeof(begin), "wideload: %s: ", operation);
    assert_memory_equal(lines, begin, strlen(begin));
}

#define LOGGED(operation, call)                                                                              \
    do {                                                                                                     \
        log_begin();                                                                                         \
        logged(call, operation);                                                                             \
    } while (0)

static void one_line_each(void **state) {
    (void)state;
    wl_devptr from, to;
    assert_int_equal(wl_alloc(context, &from, 1 << 16), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &to, 1 << 16), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, from, 1, 1 << 16, NULL), WL_ERROR_OK);
    static const uint64_t sizes[] = {8, 9, 40};
    static const unsigned same[] = {0, 1, 2}, turned[] = {0, 2, 1}, rows[] = {1, 0, 2},
                          reversed[] = {2, 1, 0};
    static const unsigned *const orders[] = {same, turned, rows, reversed};
    for (unsigned i = 0; i < 4; i++)
        LOGGED("wl_permute", wl_permute(context, 4, to, from, 3, sizes, orders[i], NULL));
    LOGGED("wl_deinterleave", wl_deinterleave(context, 4, 1, &to, from, 100, NULL));
    LOGGED("wl_interleave", wl_interleave(context, 4, 3, to, (wl_devptr[]){from, from, from}, 100, NULL));
    const wl_field whole = {0, 12}, equal[] = {{0, 4}, {4, 4}};
    LOGGED("wl_deinterleave_fields", wl_deinterleave_fields(context, &whole, 1, 12, &to, from, 100, NULL));
    LOGGED("wl_interleave_fields",
           wl_interleave_fields(context, equal, 2, 8, to, (wl_devptr[]){from, from}, 100, NULL));
    LOGGED("wl_transpose", wl_transpose(context, 4, to, from, 50, 60, NULL));
    LOGGED("wl_transpose", wl_transpose(context, 4, to, from, 1, 60, NULL));
    size_t bytes;
    wl_devptr workspace;
    assert_int_equal(wl_transpose_inplace_workspace(context, 4, 3, 70, &bytes), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &workspace, bytes), WL_ERROR_OK);
    LOGGED("wl_transpose_inplace", wl_transpose_inplace(context, 4, to, 3, 70, workspace, bytes, NULL));
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
}

/* A matrix without entries, and one with five, all in its first row and column. */
static void sparse_calls(void **state) {
    (void)state;
    wl_devptr at;
    size_t bytes;
    const int32_t pointers[] = {0, 5, 5, 5};
    const wl_sparse_shape empty = {3, 4, 0, 4, 0}, shape = {3, 4, 5, 4, 0};
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &bytes), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &at, 4096 + bytes), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, at, 0, 4096, NULL), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, at, pointers, sizeof pointers), WL_ERROR_OK);
    const wl_csr from = {at, at + 256, 0}, to = {at + 512, at + 768, 0};
    const wl_devptr work = at + 4096;
    LOGGED("wl_csr_transpose", wl_csr_transpose(context, &empty, &to, &from, work, bytes, NULL));
    LOGGED("wl_csr_transpose", wl_csr_transpose(context, &shape, &to, &from, work, bytes, NULL));
    LOGGED("wl_csr_check", wl_csr_check(context, &shape, &from, work, NULL));
    LOGGED("wl_coo_check", wl_coo_check(context, &shape, from.indices, from.indices, work, NULL));
    assert_int_equal(wl_coo_to_csr_workspace(context, &empty, &bytes), WL_ERROR_OK);
    LOGGED("wl_coo_to_csr", wl_coo_to_csr(context, &empty, &to, 0, 0, 0, 0, bytes, NULL));
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    assert_int_equal(wl_free(context, at), WL_ERROR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line_each), cmocka_unit_test(sparse_calls)};
    return cmocka_run_group_tests(tests, open_logging, close_device);
}
