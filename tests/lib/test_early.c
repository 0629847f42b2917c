/* Launches that begin while the kernel before them ends: only of kernels whose code waits, and only where the
 * driver knows of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "lib/context.h"

static CUresult (*launch)(const CUlaunchConfig *, CUfunction, void **, void **);
static unsigned early, others;

/* Counts launches through cuLaunchKernelEx. */
static CUresult look_and_launch(const CUlaunchConfig *config, CUfunction function, void **arguments,
                                void **extra) {
    bool is_early = false;
    for (unsigned i = 0; i < config->numAttrs; i++)
        is_early |= config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                    config->attrs[i].value.programmaticStreamSerializationAllowed;
    early += is_early;
    others += !is_early;
    return launch(config, function, arguments, extra);
}

static int ptx_version, driver_version;

static CUresult give_version(int *value, CUfunction_attribute attribute, CUfunction function) {
    (void)function;
    *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? ptx_version : 0;
    return CUDA_SUCCESS;
}

static CUresult give_driver_version(int *version) {
    *version = driver_version;
    return CUDA_SUCCESS;
}

/* How many of two copies are launched early, by a context whose kernels were compiled for this. */
static unsigned copy_early(int ptx) {
    wl_devptr memory;
    ptx_version = ptx;
    wl_close(context);
    context = NULL;
    assert_int_equal(open_device(NULL), 0);
    assert_true(context->capability >= 90);
    context->driver.cuDriverGetVersion = give_driver_version;
    context->starts_early = wl__starts_early(context);
    launch = context->driver.cuLaunchKernelEx;
    context->driver.cuLaunchKernelEx = look_and_launch;
    context->driver.cuFuncGetAttribute = give_version;
    early = others = 0;
    assert_int_equal(wl_alloc(context, &memory, 512), WL_ERROR_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(wl_copy(context, memory, memory + 256, 256, NULL), WL_ERROR_OK);
    assert_int_equal(wl_free(context, memory), WL_ERROR_OK);
    assert_int_equal(others, 0);
    return early;
}

static void only_code_that_waits(void **state) {
    (void)state;
    driver_version = 13000;
    assert_int_equal(copy_early(90), 2);
    assert_int_equal(copy_early(100), 2);
    assert_int_equal(copy_early(75), 0); /* PTX for 7.5, compiled by the driver */
    driver_version = 12030;
    assert_int_equal(copy_early(90), 0);
    driver_version = 12040;
    assert_int_equal(copy_early(90), 2);
    context->capability = 89;
    assert_false(wl__starts_early(context));
    context->capability = 90;
    assert_true(wl__starts_early(context));
    context->driver.cuLaunchKernelEx = NULL;
    assert_false(wl__starts_early(context));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_code_that_waits)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
