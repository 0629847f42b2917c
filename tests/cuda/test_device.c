/* Calls before cuInit, and the device's description of itself. */
#include <limits.h>
#include <stdio.h>

#include "tests/cuda/api.h"

static void before_init(void **state) {
    (void)state;
    int value;
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;
    assert_ok(api.cuDriverGetVersion(&value));
    assert_int_equal(value, 13000);
    assert_int_equal(api.cuDriverGetVersion(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetCount(&value), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(api.cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(api.context_create(&context, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(api.cuMemAlloc(&address, 4), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_NOT_INITIALIZED);
    struct wl_counters counters;
    assert_int_equal(api.get_counters(&counters), CUDA_ERROR_NOT_INITIALIZED);
    assert_string_equal(api.arch(), "sm_90");
    assert_string_equal(api.last_error(), "");
    assert_int_equal(api.cuInit(1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuInit(0));
    assert_ok(api.cuInit(0));
}

static void error_names(void **state) {
    (void)state;
    const char *text;
    assert_ok(api.cuGetErrorName(CUDA_SUCCESS, &text));
    assert_string_equal(text, "CUDA_SUCCESS");
    assert_ok(api.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_ok(api.cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "an illegal memory access was encountered");
    assert_ok(api.cuGetErrorString(CUDA_ERROR_UNKNOWN, &text));
    assert_string_equal(text, "unknown error");
    assert_int_equal(api.cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
    assert_int_equal(api.cuGetErrorString(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void identity(void **state) {
    (void)state;
    int count;
    CUdevice device = 7;
    assert_ok(api.cuDeviceGetCount(&count));
    assert_int_equal(count, 1);
    assert_ok(api.cuDeviceGet(&device, 0));
    assert_int_equal(device, 0);
    assert_int_equal(api.cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
    char name[64];
    assert_ok(api.cuDeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, "Wideload simulator");
    assert_ok(api.cuDeviceGetName(name, 9, 0));
    assert_string_equal(name, "Wideload");
    assert_int_equal(api.cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetName(name, sizeof name, 1), CUDA_ERROR_INVALID_DEVICE);
    size_t bytes;
    assert_ok(api.cuDeviceTotalMem(&bytes, 0));
    assert_true(bytes >= (size_t)64 << 20);
    CUuuid uuid, none = {{0}};
    assert_ok(api.cuDeviceGetUuid(&uuid, 0));
    assert_memory_not_equal(&uuid, &none, sizeof uuid);
    char bus[32];
    assert_ok(api.cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    assert_ok(api.cuDeviceGetByPCIBusId(&device, bus));
    const int room = (int)strlen(bus) + 1;
    memset(bus, 'x', sizeof bus);
    assert_int_equal(api.cuDeviceGetPCIBusId(bus, room - 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(bus[0], 'x');
    assert_ok(api.cuDeviceGetPCIBusId(bus, room, 0));
    assert_int_equal(strlen(bus), room - 1);
    assert_int_equal(bus[room], 'x');
    assert_int_equal(api.cuDeviceGetPCIBusId(NULL, sizeof bus, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(device, 0);
    assert_int_equal(api.cuDeviceGetByPCIBusId(&device, "0000:17:00.0"), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuDeviceGetByPCIBusId(&device, "here"), CUDA_ERROR_INVALID_VALUE);
    int peer;
    assert_ok(api.cuDeviceCanAccessPeer(&peer, 0, 0));
    assert_int_equal(peer, 0);
}

static int attribute(CUdevice_attribute which) {
    int value = -1;
    assert_ok(api.cuDeviceGetAttribute(&value, which, 0));
    return value;
}

static void attributes(void **state) {
    (void)state;
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++)
        (void)attribute((CUdevice_attribute)i);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 132);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 48 * 1024);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 227 * 1024);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), 3201000);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH), 6016);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 60 << 20);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
    assert_int_equal(attribute((CUdevice_attribute)160), INT_MAX); /* the last one in CUDA 13.5 */
    int value;
    assert_int_equal(api.cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetAttribute(&value, (CUdevice_attribute)100000, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1),
                     CUDA_ERROR_INVALID_DEVICE);
    CUdevprop properties;
    assert_ok(api.cuDeviceGetProperties(&properties, 0));
    assert_int_equal(properties.SIMDWidth, 32);
    assert_int_equal(properties.clockRate, 1980000);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH), 1); /* of one */
}

static void rules(void **state) {
    (void)state;
    int major, minor;
    assert_string_equal(api.arch(), "sm_90");
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
    assert_ok(api.set_arch("fermi"));
    assert_string_equal(api.arch(), "fermi");
    assert_ok(api.cuDeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(major * 10 + minor, 20);
    assert_int_equal(api.set_arch("sm_9O"), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.set_arch(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(api.arch(), "fermi");
    assert_ok(api.set_arch("sm_86"));
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 8);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 6);
    assert_ok(api.set_arch("sm_90"));
    struct wl_counters counters;
    assert_ok(api.reset_counters());
    assert_ok(api.get_counters(&counters));
    assert_int_equal(counters.launches, 0);
    assert_int_equal(api.get_counters(NULL), CUDA_ERROR_INVALID_VALUE);
}

static int setup(void **state) {
    (void)state;
    return api_open(API_DLSYM) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    api_close();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_init), cmocka_unit_test(error_names), cmocka_unit_test(identity),
        cmocka_unit_test(attributes),  cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
