/* wl_csr_check and wl_coo_check on the fake driver: what they launch, the driver's failures, and the words
 * for places in arrays that are larger than a test's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "wideload.h"

#define TIB  (UINT64_C(1) << 40)
#define NONE UINT64_MAX

static struct fake_state *fake;
static wl_context *context;

/* The last elements of an array, and behind them the workspace, in which the fake driver leaves what is
 * there. */
static struct {
    union {
        int64_t wide[2];
        int32_t narrow[4];
    };
    uint64_t wrong;
} end;

static int setup(void **state) {
    (void)state;
    fake = fake_start();
    if (!fake)
        return -1;
    end.wrong = NONE;
    return wl_open(&context, "sim") ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    wl_close(context);
    return fake->depth || fake->retained || fake->modules || fake->allocations ? -1 : 0;
}

/* Where an array begins that ends there. */
static wl_devptr before_end(uint64_t count, unsigned index_bytes) {
    return (wl_devptr)(uintptr_t)&end.wrong - count * index_bytes;
}

static wl_error check_csr(const wl_sparse_shape *shape, wl_devptr pointers, wl_devptr indices) {
    return wl_csr_check(context, shape, &(const wl_csr){pointers, indices, 0},
                        (wl_devptr)(uintptr_t)&end.wrong, NULL);
}

static wl_error check_coo(const wl_sparse_shape *shape, wl_devptr rows, wl_devptr cols) {
    return wl_coo_check(context, shape, rows, cols, (wl_devptr)(uintptr_t)&end.wrong, NULL);
}

static void says(wl_error error, const char *words) {
    assert_int_equal(error, WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), words);
}

static void far_places(void **state) {
    (void)state;
    const uint64_t far = UINT64_C(1) << 32;
    const wl_sparse_shape tall = {far, 5, 9, 8, 0}, full = {far, 5, far + 4, 8, 0},
                          narrow = {3, 5, INT32_MAX, 4, 0};
    end.wide[0] = 7;
    end.wide[1] = 3;
    end.wrong = far;
    says(check_csr(&tall, before_end(far + 1, 8), TIB),
         "wl_csr_check: pointers[4294967296] is 3, less than pointers[4294967295], which is 7");
    end.wide[1] = 8;
    says(check_csr(&tall, before_end(far + 1, 8), TIB),
         "wl_csr_check: pointers[4294967296], the last, is 8; there are 9 entries");
    end.wide[1] = INT64_MIN;
    end.wrong = far + 1 + (far + 3);
    says(check_csr(&full, TIB, before_end(far + 4, 8)),
         "wl_csr_check: indices[4294967299] is -9223372036854775808; the columns are 0 to 4");
    end.wrong = 2 * (far + 3);
    says(check_coo(&full, before_end(far + 4, 8), TIB),
         "wl_coo_check: rows[4294967299] is -9223372036854775808; the rows are 0 to 4294967295");
    end.wrong = 2 * (far + 3) + 1;
    says(check_coo(&full, TIB, before_end(far + 4, 8)),
         "wl_coo_check: cols[4294967299] is -9223372036854775808; the columns are 0 to 4");
    end.narrow[3] = -2;
    end.wrong = (uint64_t)3 + 1 + (INT32_MAX - 1);
    says(check_csr(&narrow, TIB, before_end(INT32_MAX, 4)),
         "wl_csr_check: indices[2147483646] is -2; the columns are 0 to 4");
}

/* A block for each 16 KiB, up to what a grid has. */
static void launches(void **state) {
    (void)state;
    static const struct {
        wl_sparse_shape shape;
        bool csr;
        unsigned shift;
        const char *kernel;
        uint32_t blocks;
    } cases[] = {
        {{4095, 5, 4096, 4, 0}, true, 0, "wl_check4", 2},
        {{4096, 5, 4096, 4, 0}, true, 0, "wl_check4", 3},
        {{4095, 5, 4096, 4, 0}, true, 4, "wl_check4", 4},
        {{4095, 5, 0, 4, 0}, true, 0, "wl_check4", 1},
        {{4, 5, 2048, 8, 0}, false, 0, "wl_check8", 2},
        {{4, 5, 2048, 8, 0}, false, 8, "wl_check8", 4},
        {{4, 5, UINT64_C(1) << 41, 8, 0}, false, 0, "wl_check8", 2147483647},
        {{4, 5, UINT64_C(1) << 42, 8, 0}, false, 0, "wl_check8", 2147483647},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wl_devptr first = 256 * TIB + cases[i].shift, second = 1024 * TIB + cases[i].shift;
        fake->launch_count = 0;
        fake->last_memset_bytes = 0;
        const wl_error error = (cases[i].csr ? check_csr : check_coo)(&cases[i].shape, first, second);
        assert_int_equal(error, WL_ERROR_OK);
        assert_int_equal(fake->launch_count, 1);
        assert_string_equal(fake->launches[0].kernel, cases[i].kernel);
        assert_int_equal(fake->launches[0].grid[0], cases[i].blocks);
        assert_int_equal(fake->launches[0].block[0], 256);
        assert_int_equal(fake->last_memset_bytes, WL_SPARSE_CHECK_BYTES);
    }
}

static void nothing_is_launched(void **state) {
    (void)state;
    const wl_sparse_shape none = {3, 4, 0, 4, 0};
    assert_int_equal(wl_coo_check(context, &none, 0, 0, (wl_devptr)(uintptr_t)&end.wrong, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 0);
}

static void failures_of_the_driver(void **state) {
    (void)state;
    const wl_sparse_shape shape = {3, 4, 10, 4, 0};
    fake->fail_load = true;
    assert_int_equal(check_csr(&shape, TIB, 2 * TIB), WL_ERROR_OUT_OF_MEMORY);
    fake->fail_next = 700;
    assert_int_equal(check_csr(&shape, TIB, 2 * TIB), WL_ERROR_KERNEL_FAULT);
    assert_non_null(strstr(wl_message(), "cuLaunchKernel"));
    fake->fail_wait = 700;
    assert_int_equal(check_csr(&shape, TIB, 2 * TIB), WL_ERROR_KERNEL_FAULT);
    assert_non_null(strstr(wl_message(), "cuStreamSynchronize"));
    assert_int_equal(check_csr(&shape, TIB, 2 * TIB), WL_ERROR_OK);
}

/* A capture, one that has failed, and one of another stream that the legacy default stream would wait for. */
static void captures(void **state) {
    (void)state;
    const wl_sparse_shape shape = {3, 4, 10, 4, 0};
    for (fake->capture_status = 1; fake->capture_status < 3; fake->capture_status++) {
        assert_int_equal(check_csr(&shape, TIB, 2 * TIB), WL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(wl_message(), "wl_csr_check: stream captures a graph"));
    }
    fake->capture_status = 0;
    fake->capture_error = 906;
    assert_int_equal(check_coo(&shape, TIB, 2 * TIB), WL_ERROR_DRIVER);
    assert_non_null(strstr(wl_message(), "cuStreamIsCapturing"));
    assert_int_equal(fake->launch_count, 0);
    assert_int_equal(fake->last_memset_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(far_places, setup, teardown),
        cmocka_unit_test_setup_teardown(launches, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_launched, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_of_the_driver, setup, teardown),
        cmocka_unit_test_setup_teardown(captures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
