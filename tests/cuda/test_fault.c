/* A kernel's fault: its error and message, and how long it lasts. */
#include "tests/cuda/api.h"

static CUcontext context;
static CUmodule module;
static CUdeviceptr target;

static int setup(void **state) {
    (void)state;
    if (api.context_create(&context, 0, 0) || api.cuModuleLoad(&module, api_path("lines.fatbin")))
        return -1;
    return api.cuMemAlloc(&target, 64) ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    return api.cuCtxDestroy(context) ? -1 : 0;
}

static CUresult store_at(CUdeviceptr address) {
    CUfunction function;
    assert_ok(api.cuModuleGetFunction(&function, module, "store_at"));
    int value = 7;
    void *params[] = {&address, &value};
    return api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

/* Every call in the context returns the error; others work; destroying the context ends that. */
static void check_stuck(CUresult error) {
    CUdeviceptr address;
    CUstream stream;
    CUevent event;
    CUmodule again;
    CUfunction function;
    int value;
    assert_int_equal(api.cuCtxSynchronize(), error);
    assert_int_equal(api.cuCtxSynchronize(), error);
    assert_int_equal(api.cuStreamSynchronize(NULL), error);
    assert_int_equal(api.cuMemAlloc(&address, 4), error);
    assert_int_equal(api.cuMemFree(target), error);
    assert_int_equal(api.cuMemcpyDtoH(&value, target, 4), error);
    assert_int_equal(api.cuStreamCreate(&stream, 0), error);
    assert_int_equal(api.cuEventCreate(&event, 0), error);
    assert_int_equal(api.cuModuleLoad(&again, api_path("lines.fatbin")), error);
    assert_int_equal(api.cuModuleGetFunction(&function, module, "vadd"), error);
    CUcontext other, popped;
    assert_ok(api.context_create(&other, 0, 0));
    assert_ok(api.cuMemAlloc(&address, 4));
    assert_ok(api.cuCtxSynchronize());
    assert_ok(api.cuCtxDestroy(other));
    assert_ok(api.cuCtxGetCurrent(&popped));
    assert_ptr_equal(popped, context);
}

static void out_of_bounds(void **state) {
    (void)state;
    assert_ok(store_at(target + 60));
    assert_ok(api.cuCtxSynchronize());
    assert_ok(store_at(target + 64)); /* launches report errors later, as if asynchronous */
    check_stuck(CUDA_ERROR_ILLEGAL_ADDRESS);
    const char *text = api.last_error();
    assert_non_null(strstr(text, "store_at"));
    assert_non_null(strstr(text, "kernels.cu"));
    assert_non_null(strstr(text, "1 byte after"));
    assert_non_null(strstr(text, "64 bytes"));
    assert_null(strchr(text, '\n'));
}

static void null_pointer(void **state) {
    (void)state;
    assert_ok(store_at(0));
    check_stuck(CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void freed_memory(void **state) {
    (void)state;
    CUdeviceptr gone;
    assert_ok(api.cuMemAlloc(&gone, 64));
    assert_ok(api.cuMemFree(gone));
    assert_ok(store_at(gone));
    check_stuck(CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_non_null(strstr(api.last_error(), "freed"));
}

static void misaligned(void **state) {
    (void)state;
    assert_ok(store_at(target + 2));
    check_stuck(CUDA_ERROR_MISALIGNED_ADDRESS);
}

static void trap(void **state) {
    (void)state;
    CUfunction function;
    assert_ok(api.cuModuleGetFunction(&function, module, "stop_here"));
    assert_ok(api.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    check_stuck(CUDA_ERROR_LAUNCH_FAILED);
}

/* The first fault is kept; the primary context recovers when it is reset. */
static void primary_reset(void **state) {
    (void)state;
    CUcontext primary;
    CUmodule own = module;
    CUdeviceptr address;
    assert_ok(api.cuDevicePrimaryCtxRetain(&primary, 0));
    assert_ok(api.cuCtxPushCurrent(primary));
    assert_ok(api.cuModuleLoad(&module, api_path("lines.fatbin")));
    assert_ok(store_at(0));
    assert_int_equal(api.cuMemAlloc(&address, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_ok(api.cuDevicePrimaryCtxReset(0));
    assert_ok(api.cuMemAlloc(&address, 4));
    assert_ok(api.cuCtxSynchronize());
    assert_ok(api.cuCtxPopCurrent(NULL));
    assert_ok(api.cuDevicePrimaryCtxRelease(0));
    module = own;
    assert_ok(store_at(target));
    assert_ok(api.cuCtxSynchronize());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(out_of_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(null_pointer, setup, teardown),
        cmocka_unit_test_setup_teardown(freed_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(misaligned, setup, teardown),
        cmocka_unit_test_setup_teardown(trap, setup, teardown),
        cmocka_unit_test_setup_teardown(primary_reset, setup, teardown),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
