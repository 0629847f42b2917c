#include "tests/cuda/devices.h"

#include <stdlib.h>

CUcontext primary[DEVICES];
CUmodule module[DEVICES];
CUfunction vadd[DEVICES], store_at[DEVICES];

/* Faults end a context, so a test that makes some begins anew. */
void device_start(int d) {
    assert_ok(api.cuDevicePrimaryCtxRetain(&primary[d], d));
    assert_ok(api.cuCtxSetCurrent(primary[d]));
    assert_ok(api.cuModuleLoad(&module[d], api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&vadd[d], module[d], "vadd"));
    assert_ok(api.cuModuleGetFunction(&store_at[d], module[d], "store_at"));
}

int devices_start(void **state) {
    (void)state;
    for (int d = DEVICES - 1; d >= 0; d--)
        device_start(d);
    return 0;
}

int devices_end(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++)
        assert_ok(api.cuDevicePrimaryCtxRelease(d));
    return 0;
}

void use_device(int d) {
    assert_ok(api.cuCtxSetCurrent(primary[d]));
}

CUdeviceptr alloc_on(int d, size_t bytes) {
    CUdeviceptr at;
    use_device(d);
    assert_ok(api.cuMemAlloc(&at, bytes));
    return at;
}

/* Launches on the current device; c = a + b. */
CUresult add_on(int d, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int n, CUstream stream) {
    void *params[] = {&a, &b, &c, &n};
    return api.cuLaunchKernel(vadd[d], (unsigned)(n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, params, NULL);
}

CUresult store_on(int d, CUdeviceptr to, int value) {
    void *params[] = {&to, &value};
    CUresult error = api.cuLaunchKernel(store_at[d], 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    return error ? error : api.cuCtxSynchronize();
}

int read_word(CUdeviceptr at) {
    int value = -1;
    assert_ok(api.cuMemcpyDtoH(&value, at, sizeof value));
    return value;
}

void is_refused(int d, CUdeviceptr to, const char *reason) {
    use_device(d);
    assert_int_equal(store_on(d, to, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    if (!strstr(api.last_error(), reason))
        fail_msg("'%s' does not say '%s'", api.last_error(), reason);
    assert_ok(api.cuDevicePrimaryCtxReset(d));
    device_start(d);
    assert_ok(api.cuDevicePrimaryCtxRelease(d)); /* which device_start() retained once more */
}

int devices_open(void **state) {
    (void)state;
    if (setenv("WIDELOAD_SIM_DEVICES", "3", 1) || !api_open(API_DLSYM) || api.cuInit(0))
        return -1;
    return 0;
}

int devices_close(void **state) {
    (void)state;
    api_close();
    return 0;
}
