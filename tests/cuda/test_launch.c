/* Launches: every way to pass parameters; invalid launches are refused; occupancy; counters. */
#include <pthread.h>

#include "tests/cuda/api.h"

static CUmodule module;

static CUfunction kernel(const char *name) {
    CUfunction function;
    assert_ok(api.cuModuleGetFunction(&function, module, name));
    return function;
}

static CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, void **params) {
    return api.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, NULL, params, NULL);
}

static void vadd_of(int n, unsigned block) {
    size_t bytes = (size_t)n * sizeof(float);
    float *host = malloc(bytes * 3);
    assert_non_null(host);
    for (int i = 0; i < 2 * n; i++)
        host[i] = (float)(i * 3 % 1009);
    CUdeviceptr a, b, c;
    assert_ok(api.cuMemAlloc(&a, bytes));
    assert_ok(api.cuMemAlloc(&b, bytes));
    assert_ok(api.cuMemAlloc(&c, bytes));
    assert_ok(api.cuMemcpyHtoD(a, host, bytes));
    assert_ok(api.cuMemcpyHtoD(b, host + n, bytes));
    assert_ok(api.cuMemsetD8(c, 0xff, bytes));
    void *params[] = {&a, &b, &c, &n};
    assert_ok(launch(kernel("vadd"), ((unsigned)n + block - 1) / block, block, 0, params));
    assert_ok(api.cuCtxSynchronize());
    assert_ok(api.cuMemcpyDtoH(host + 2 * n, c, bytes));
    for (int i = 0; i < n; i++)
        assert_true(host[2 * n + i] == host[i] + host[n + i]);
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
    assert_ok(api.cuMemFree(c));
    free(host);
}

static void vadd(void **state) {
    (void)state;
    static const int sizes[] = {1, 31, 33, 1000, 100003};
    for (int i = 0; i < 5; i++) {
        vadd_of(sizes[i], 256);
        vadd_of(sizes[i], 37);
    }
}

static void counters(void **state) {
    (void)state;
    struct wl_counters counted;
    assert_ok(api.reset_counters());
    vadd_of(1 << 12, 256);
    assert_ok(api.get_counters(&counted));
    assert_int_equal(counted.launches, 1);
    assert_int_equal(counted.global_load_requests, 2 * (1 << 12) / 32);
    assert_int_equal(counted.gld_transactions, 2 * (1 << 12) / 8);
    assert_int_equal(counted.gst_transactions, (1 << 12) / 8);
    vadd_of(1 << 12, 256);
    assert_ok(api.get_counters(&counted));
    assert_int_equal(counted.launches, 2);
    assert_int_equal(counted.gst_transactions, 2 * (1 << 12) / 8);
    assert_ok(api.set_arch("fermi"));
    assert_ok(api.reset_counters());
    vadd_of(1 << 12, 256);
    assert_ok(api.get_counters(&counted));
    assert_int_equal(counted.gld_transactions, 2 * (1 << 12) / 32); /* 128-byte lines */
    assert_ok(api.set_arch("sm_90"));
}

struct triple {
    char a;
    double b;
};

static void check_parameters(CUdeviceptr out) {
    static const double expected[6] = {-5, 1234, 1e12, 7, 2.5, 0.25};
    double seen[6];
    assert_ok(api.cuMemcpyDtoH(seen, out, sizeof seen));
    for (int i = 0; i < 6; i++)
        assert_true(seen[i] == expected[i]);
    assert_ok(api.cuMemsetD8(out, 0, sizeof seen));
}

static void parameters(void **state) {
    (void)state;
    CUfunction function = kernel("parameters");
    CUdeviceptr out;
    char c = -5;
    short s = 1234;
    long long l = 1000000000000;
    struct triple t = {7, 2.5};
    float f = 0.25f;
    assert_ok(api.cuMemAlloc(&out, 6 * sizeof(double)));
    void *params[] = {&out, &c, &s, &l, &t, &f};
    assert_ok(launch(function, 1, 1, 0, params));
    check_parameters(out);
    struct {
        CUdeviceptr out;
        char c;
        short s;
        long long l;
        struct triple t;
        float f;
    } packed = {out, c, s, l, t, f};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    assert_ok(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    check_parameters(out);
    CUlaunchConfig config = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    assert_ok(api.cuLaunchKernelEx(&config, function, params, NULL));
    check_parameters(out);
    assert_int_equal(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    size = 8;
    assert_int_equal(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
                     CUDA_ERROR_INVALID_VALUE);
    params[3] = NULL;
    assert_int_equal(launch(function, 1, 1, 0, params), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(out));
}

static void variables(void **state) {
    (void)state;
    CUdeviceptr address, out;
    size_t size;
    int counter;
    assert_ok(api.cuModuleGetGlobal(&address, &size, module, "counter"));
    assert_ok(launch(kernel("no_parameters"), 3, 5, 0, NULL));
    assert_ok(api.cuMemcpyDtoH(&counter, address, sizeof counter));
    assert_int_equal(counter, 41 + 15);
    float seen[8];
    assert_ok(api.cuMemAlloc(&out, sizeof seen));
    void *params[] = {&out};
    assert_ok(launch(kernel("constants"), 1, 8, 0, params));
    assert_ok(api.cuMemcpyDtoH(seen, out, sizeof seen));
    for (int i = 0; i < 8; i++)
        assert_true(seen[i] == (float)(i % 4 + 1));
    assert_ok(api.cuMemFree(out));
}

static void shared(void **state) {
    (void)state;
    CUdeviceptr out;
    int seen[256];
    assert_ok(api.cuMemAlloc(&out, sizeof seen));
    void *params[] = {&out};
    assert_ok(launch(kernel("static_shared"), 1, 256, 0, params));
    assert_ok(api.cuMemcpyDtoH(seen, out, sizeof seen));
    for (int i = 0; i < 256; i++)
        assert_int_equal(seen[i], 255 - i);
    CUfunction dynamic = kernel("dynamic_shared");
    int words = 12 * 1024;
    void *dynamic_params[] = {&out, &words};
    assert_ok(launch(dynamic, 1, 128, 48 * 1024, dynamic_params));
    assert_ok(api.cuMemcpyDtoH(seen, out, 4));
    assert_int_equal(seen[0], words - 1);
    words = 227 * 256;
    assert_int_equal(launch(dynamic, 1, 128, 227 * 1024, dynamic_params), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuFuncSetAttribute(dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024));
    assert_ok(launch(dynamic, 1, 128, 227 * 1024, dynamic_params));
    assert_ok(api.cuMemcpyDtoH(seen, out, 4));
    assert_int_equal(seen[0], words - 1);
    assert_int_equal(launch(dynamic, 1, 128, 227 * 1024 + 4, dynamic_params), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(launch(kernel("static_shared"), 1, 256, 48 * 1024, params), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(out));
}

static void refused(void **state) {
    (void)state;
    CUfunction function = kernel("no_parameters");
    static const struct {
        unsigned grid[3], block[3];
    } bad[] = {
        {{0, 1, 1}, {1, 1, 1}},         {{1, 0, 1}, {1, 1, 1}},     {{1, 1, 0}, {1, 1, 1}},
        {{1, 1, 1}, {0, 1, 1}},         {{1, 1, 1}, {1, 0, 1}},     {{1, 1, 1}, {1, 1, 0}},
        {{1, 1, 1}, {1025, 1, 1}},      {{1, 1, 1}, {32, 33, 1}},   {{1, 1, 1}, {1, 1, 65}},
        {{1, 65536, 1}, {1, 1, 1}},     {{1, 1, 65536}, {1, 1, 1}}, {{0x80000000u, 1, 1}, {1, 1, 1}},
        {{1, 1, 1}, {65536, 65536, 1}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(api.cuLaunchKernel(function, bad[i].grid[0], bad[i].grid[1], bad[i].grid[2],
                                            bad[i].block[0], bad[i].block[1], bad[i].block[2], 0, NULL, NULL,
                                            NULL),
                         CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(launch(NULL, 1, 1, 0, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(launch((CUfunction)module, 1, 1, 0, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, (CUstream)module, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    CUdeviceptr out;
    assert_ok(api.cuMemAlloc(&out, 65 * 4));
    void *params[] = {&out};
    assert_ok(launch(kernel("bounded"), 1, 64, 0, params));
    assert_int_equal(launch(kernel("bounded"), 1, 65, 0, params), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(out));
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.clusterDim.x = 2;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config = {.gridDimX = 2,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};
    assert_ok(api.cuLaunchKernelEx(&config, function, NULL, NULL));
    attribute.value.clusterDim.x = 3;
    assert_int_equal(api.cuLaunchKernelEx(&config, function, NULL, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attribute.value.clusterDim.x = 1;
    assert_ok(api.cuLaunchKernelEx(&config, function, NULL, NULL));
    attribute.id = (CUlaunchAttributeID)77;
    assert_int_equal(api.cuLaunchKernelEx(&config, function, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuLaunchKernelEx(NULL, function, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuCtxSynchronize());
    /* A function belongs to its context. */
    CUcontext other;
    assert_ok(api.context_create(&other, 0, 0));
    assert_int_equal(launch(function, 1, 1, 0, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxDestroy(other));
}

static void library_kernel(void **state) {
    (void)state;
    CUlibrary library;
    CUkernel from_library;
    CUdeviceptr address;
    size_t size;
    int counter;
    assert_ok(api.cuLibraryLoadFromFile(&library, api_path("speed.fatbin"), NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(api.cuLibraryGetKernel(&from_library, library, "no_parameters"));
    assert_ok(launch((CUfunction)from_library, 1, 2, 0, NULL)); /* allowed by CUDA */
    assert_ok(api.cuLibraryGetGlobal(&address, &size, library, "counter"));
    assert_ok(api.cuMemcpyDtoH(&counter, address, sizeof counter));
    assert_int_equal(counter, 43);
    assert_ok(api.cuLibraryUnload(library));
}

static void occupancy(void **state) {
    (void)state;
    CUfunction vadd_kernel = kernel("vadd"), tiled = kernel("static_shared");
    int blocks, grid, block;
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, vadd_kernel, 256, 0));
    assert_int_equal(blocks, 8);
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, vadd_kernel, 32, 0));
    assert_int_equal(blocks, 32);
    /* More dynamic shared memory than the function's attribute allows. */
    CUfunction asking = kernel("store_at");
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, asking, 256, 100 * 1024));
    assert_int_equal(blocks, 0);
    assert_ok(api.cuFuncSetAttribute(asking, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024));
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, asking, 256, 100 * 1024));
    assert_int_equal(blocks, 2);
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tiled, 256, 227 * 1024));
    assert_int_equal(blocks, 0);
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("bounded"), 96, 0));
    assert_int_equal(blocks, 21); /* as an H200 reports, whatever the function's own bound */
    assert_int_equal(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, vadd_kernel, 0, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuOccupancyMaxPotentialBlockSize(&grid, &block, vadd_kernel, NULL, 0, 0));
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 2 * 132);
    assert_ok(api.cuOccupancyMaxPotentialBlockSize(&grid, &block, vadd_kernel, NULL, 0, 200));
    assert_true(block > 0 && block <= 200);
    size_t bytes;
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, vadd_kernel, 2, 256));
    assert_int_equal(bytes, 48 * 1024);
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, asking, 2, 256));
    assert_int_equal(bytes, 114 * 1024);
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, asking, 1, 256));
    assert_int_equal(bytes, 227 * 1024);
    assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, vadd_kernel, 9, 256),
                     CUDA_ERROR_INVALID_VALUE);
}

static void *many_launches(void *argument) {
    CUdeviceptr address = *(CUdeviceptr *)argument;
    CUfunction store;
    if (api.cuCtxSetCurrent(api_context) || api.cuModuleGetFunction(&store, module, "store_at"))
        return "cannot begin";
    for (int i = 0; i < 50; i++) {
        int seen = -1;
        void *params[] = {&address, &i};
        if (launch(store, 1, 1, 0, params) || api.cuMemcpyDtoH(&seen, address, sizeof seen) || seen != i)
            return "a launch went wrong";
    }
    return NULL;
}

static void threads(void **state) {
    (void)state;
    CUdeviceptr out[4];
    pthread_t thread[4];
    struct wl_counters counted;
    assert_ok(api.reset_counters());
    for (int i = 0; i < 4; i++) {
        assert_ok(api.cuMemAlloc(&out[i], 4));
        assert_int_equal(pthread_create(&thread[i], NULL, many_launches, &out[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *complaint;
        pthread_join(thread[i], &complaint);
        assert_null(complaint);
        assert_ok(api.cuMemFree(out[i]));
    }
    assert_ok(api.get_counters(&counted));
    assert_int_equal(counted.launches, 200);
}

static int setup(void **state) {
    return api_setup(state) || api.cuModuleLoad(&module, api_path("lines.fatbin")) ? -1 : 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vadd),           cmocka_unit_test(counters),  cmocka_unit_test(parameters),
        cmocka_unit_test(variables),      cmocka_unit_test(shared),    cmocka_unit_test(refused),
        cmocka_unit_test(library_kernel), cmocka_unit_test(occupancy), cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, setup, api_teardown);
}
