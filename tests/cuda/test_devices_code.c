/* Libraries on several devices: whose variables and attributes are whose. */
#include "tests/cuda/devices.h"

enum { LARGE = 1 << 20, SHARED = 60000 };

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .global .align 4 .u32 plain = 7;\n"
                           ".visible .global .align 4 .b8 large[1048576];\n"
                           ".visible .global .attribute(.managed) .align 4 .u32 a = 10;\n"
                           ".visible .global .attribute(.managed) .align 4 .u32 b = 20;\n"
                           ".visible .global .attribute(.managed) .align 8 .u64 cursor = generic(a);\n"
                           ".visible .global .attribute(.managed) .align 8 .u64 other = generic(plain);\n"
                           ".extern .shared .align 16 .b8 dynamic[];\n"
                           ".visible .entry bump() {\n"
                           ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
                           "ld.global.u64 %rd1, [cursor];\nld.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\n"
                           "st.u32 [%rd1], %r1;\nst.shared.u32 [dynamic], %r1;\nret;\n}\n";

static CUlibrary library;
static CUkernel bump;

/* Loaded in a context of device 1. */
static void load(void) {
    use_device(1);
    assert_ok(api.cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(api.cuLibraryGetKernel(&bump, library, "bump"));
}

static CUresult launch(int d, unsigned shared) {
    use_device(d);
    CUresult error = api.cuLaunchKernel((CUfunction)bump, 1, 1, 1, 1, 1, 1, shared, NULL, NULL, NULL);
    return error ? error : api.cuCtxSynchronize();
}

static CUdeviceptr find(int d, const char *name) {
    CUdeviceptr at;
    size_t size;
    use_device(d);
    assert_ok(api.cuLibraryGetGlobal(&at, &size, library, name));
    return at;
}

/* Managed variables are one for all devices, and keep their values when a library comes to another one. */
static void managed(void **state) {
    (void)state;
    load();
    const CUdeviceptr a = find(0, "a"), b = find(0, "b"), plain = find(0, "plain");
    CUdeviceptr *const cursor = (CUdeviceptr *)(uintptr_t)find(0, "cursor");
    assert_true(*cursor == a && *(CUdeviceptr *)(uintptr_t)find(0, "other") == plain);
    assert_ok(launch(0, 4));
    *cursor = b;
    for (int d = 1; d < DEVICES; d++) {
        assert_ok(launch(d, 4));
        assert_true(find(d, "b") == b && find(d, "plain") != plain);
        assert_true(*cursor == b && *(CUdeviceptr *)(uintptr_t)find(d, "other") == plain);
    }
    assert_int_equal(*(int *)(uintptr_t)a, 11);
    assert_int_equal(*(int *)(uintptr_t)b, 22);
    /* They live as long as one of the devices has them. */
    use_device(0);
    assert_ok(api.cuDevicePrimaryCtxReset(0));
    assert_ok(launch(0, 4));
    assert_int_equal(*(int *)(uintptr_t)b, 23);
    for (int d = 0; d < DEVICES; d++)
        assert_ok(api.cuDevicePrimaryCtxReset(d));
    const CUdeviceptr anew = find(2, "a");
    assert_int_equal(*(int *)(uintptr_t)anew, 10);
    assert_ok(api.cuLibraryUnload(library));
}

/* A device that uses a library holds its variables once, and others hold nothing of it, but for device 0. */
static void memory(void **state) {
    (void)state;
    size_t before[DEVICES], now, total;
    for (int d = 0; d < DEVICES; d++) {
        use_device(d);
        assert_ok(api.cuMemGetInfo(&before[d], &total));
    }
    load();
    for (int d = 0; d < DEVICES - 1; d++) {
        assert_ok(launch(d, 4));
        assert_ok(api.cuMemGetInfo(&now, &total));
        assert_in_range(before[d] - now, LARGE, 3 * LARGE / 2);
    }
    use_device(2);
    assert_ok(api.cuMemGetInfo(&now, &total));
    assert_int_equal(now, before[2]);
    assert_ok(api.cuLibraryUnload(library));
}

/* A kernel's attributes are a device's, whether the library is loaded there already or later. */
static void attributes(void **state) {
    (void)state;
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    int values[DEVICES];
    load();
    assert_int_equal(launch(0, SHARED), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuKernelSetAttribute(dynamic, SHARED, bump, 1));
    for (int d = 0; d < DEVICES; d++)
        assert_ok(api.cuKernelGetAttribute(&values[d], dynamic, bump, d));
    assert_int_equal(values[1], SHARED);
    assert_int_not_equal(values[0], SHARED);
    assert_int_not_equal(values[2], SHARED);
    assert_int_equal(launch(0, SHARED), CUDA_ERROR_INVALID_VALUE);
    assert_ok(launch(1, SHARED));
    assert_int_equal(launch(2, SHARED), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuKernelSetAttribute(dynamic, SHARED, bump, 0));
    assert_ok(launch(0, SHARED));
    assert_int_equal(launch(2, SHARED), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuKernelSetAttribute(dynamic, SHARED, bump, DEVICES), CUDA_ERROR_INVALID_DEVICE);
    assert_ok(api.cuLibraryUnload(library));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(managed, devices_start, devices_end),
        cmocka_unit_test_setup_teardown(memory, devices_start, devices_end),
        cmocka_unit_test_setup_teardown(attributes, devices_start, devices_end),
    };
    return cmocka_run_group_tests(tests, devices_open, devices_close);
}
