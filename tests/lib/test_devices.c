/* Several contexts in one process, each on a device of its own: "sim:0" to "sim:3". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_calls.h"
#include "wideload.h"

enum { DEVICES = 4, BYTES = 1 << 16 };

static wl_context *context[DEVICES];
static wl_devptr array[DEVICES];
static struct cuda_calls cuda;

static int setup(void **state) {
    (void)state;
    static const char *const names[DEVICES] = {"sim", "sim:1", "sim:2", "sim:3"};
    setenv("WIDELOAD_SIM_DEVICES", "4", 1);
    for (int d = 0; d < DEVICES; d++)
        if (wl_open(&context[d], names[d]) || wl_alloc(context[d], &array[d], BYTES))
            return -1;
    cuda = cuda_open();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        if (wl_free(context[d], array[d]))
            return -1;
        wl_close(context[d]);
    }
    return 0;
}

static void fill(int d, unsigned char first) {
    static unsigned char bytes[BYTES];
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(first + i % 251);
    assert_int_equal(wl_upload(context[d], array[d], bytes, BYTES), WL_ERROR_OK);
}

static void holds(int d, unsigned char first) {
    static unsigned char bytes[BYTES];
    assert_int_equal(wl_download(context[d], bytes, array[d], BYTES), WL_ERROR_OK);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(bytes[i], (unsigned char)(first + i % 251));
}

static void each_has_its_own(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        int ordinal;
        cuda_need(cuda.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, array[d]));
        assert_int_equal(ordinal, d);
        wl_device_info info;
        assert_int_equal(wl_get_device_info(context[d], &info), WL_ERROR_OK);
        assert_string_equal(info.kind, "sim");
    }
    wl_context *none;
    assert_int_equal(wl_open(&none, "sim:4"), WL_ERROR_NO_DEVICE);
    assert_non_null(strstr(wl_message(), "the simulator has 4 devices"));
}

/* A kernel of each device works on its own array; then one device's kernel stores into another's. */
static void kernels_cross(void **state) {
    (void)state;
    CUcontext primary[DEVICES];
    for (int d = 0; d < DEVICES; d++) {
        wl_devptr half = array[d] + BYTES / 2;
        fill(d, (unsigned char)(10 * d));
        assert_int_equal(wl_copy(context[d], half, array[d], BYTES / 2, NULL), WL_ERROR_OK);
        assert_int_equal(wl_synchronize(context[d]), WL_ERROR_OK);
        fill(d, (unsigned char)(10 * d));
        cuda_need(cuda.cuDevicePrimaryCtxRetain(&primary[d], d));
    }
    cuda_need(cuda.cuCtxSetCurrent(primary[3]));
    cuda_need(cuda.cuCtxEnablePeerAccess(primary[1], 0));
    assert_int_equal(wl_copy(context[3], array[1], array[3], BYTES, NULL), WL_ERROR_OK);
    assert_int_equal(wl_synchronize(context[3]), WL_ERROR_OK);
    holds(0, 0);
    holds(1, 30);
    holds(2, 20);
    cuda_need(cuda.cuCtxDisablePeerAccess(primary[1]));
    assert_int_equal(wl_copy(context[3], array[1], array[3], BYTES, NULL), WL_ERROR_OK);
    assert_int_equal(wl_synchronize(context[3]), WL_ERROR_KERNEL_FAULT);
    assert_non_null(strstr(wl_message(), "in memory of device 1, to which device 3 has no peer access"));
    assert_int_equal(wl_synchronize(context[1]), WL_ERROR_OK);
    cuda_need(cuda.cuDevicePrimaryCtxReset(3));
    cuda_need(cuda.cuCtxSetCurrent(NULL));
    assert_int_equal(wl_alloc(context[3], &array[3], BYTES), WL_ERROR_OK);
    for (int d = 0; d < DEVICES; d++)
        cuda_need(cuda.cuDevicePrimaryCtxRelease(d));
}

/* Kernels are chosen for the device that it has become: those of 8.0 do not run there. */
static void becomes_another_architecture(void **state) {
    (void)state;
    const uint64_t side = 1024;
    wl_context *later;
    wl_devptr from, to;
    assert_int_equal(wl_open(&later, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_alloc(later, &from, side * side * 4), WL_ERROR_OK);
    assert_int_equal(wl_alloc(later, &to, side * side * 4), WL_ERROR_OK);
    assert_int_equal(wl_fill(later, from, 1, side * side * 4, NULL), WL_ERROR_OK);
    assert_int_equal(wl_set_arch(later, "sm_75"), WL_ERROR_OK);
    assert_int_equal(wl_transpose(later, 4, to, from, side, side, NULL), WL_ERROR_OK);
    assert_int_equal(wl_set_arch(later, "sm_90"), WL_ERROR_OK);
    assert_int_equal(wl_transpose(later, 4, to, from, side, side, NULL), WL_ERROR_OK);
    assert_int_equal(wl_free(later, from), WL_ERROR_OK);
    assert_int_equal(wl_free(later, to), WL_ERROR_OK);
    wl_close(later);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_own),
        cmocka_unit_test(kernels_cross),
        cmocka_unit_test(becomes_another_architecture),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
