/* Every function that cuda.h declares is exported, and cuGetProcAddress knows CUDA's versions. */
#include <dlfcn.h>
#include <stdio.h>

#include "tests/cuda/api.h"

typedef CUresult get_proc_address(const char *name, void **function, int version, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *status);
static get_proc_address *get;

static int setup(void **state) {
    (void)state;
    if (!api_open(API_DLSYM))
        return -1;
    *(void **)&get = dlsym(api.library, "cuGetProcAddress_v2");
    return get ? 0 : -1;
}

static void every_name(void **state) {
    (void)state;
    FILE *file = fopen(TEST_ENTRIES, "r");
    assert_non_null(file);
    char name[128];
    unsigned count = 0;
    while (fgets(name, sizeof name, file)) {
        name[strcspn(name, "\n")] = '\0';
        void *exported = dlsym(api.library, name), *found = NULL;
        CUdriverProcAddressQueryResult status;
        if (!exported)
            fail_msg("%s is not exported", name);
        assert_ok(get(name, &found, CUDA_VERSION, 0, &status));
        if (!found || status != CU_GET_PROC_ADDRESS_SUCCESS)
            fail_msg("cuGetProcAddress does not find %s", name);
        count++;
    }
    fclose(file);
    assert_true(count > 400);
}

/* Programs of a newer CUDA can start because of these; a driver of CUDA 13.0 provides none of them. */
static void newer_names(void **state) {
    (void)state;
    FILE *file = fopen(TEST_NEWER, "r");
    assert_non_null(file);
    char name[128];
    unsigned count = 0;
    while (fgets(name, sizeof name, file)) {
        name[strcspn(name, "\n")] = '\0';
        if (*name == '#' || !*name)
            continue;
        CUresult (*exported)(void);
        *(void **)&exported = dlsym(api.library, name);
        if (!exported)
            fail_msg("%s is not exported", name);
#if CUDA_VERSION <= 13000
        void *found = NULL;
        CUdriverProcAddressQueryResult status;
        assert_int_equal(exported(), CUDA_ERROR_NOT_SUPPORTED);
        assert_ok(get(name, &found, 13050, 0, &status));
        assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
#endif
        count++;
    }
    fclose(file);
    assert_true(count > 50);
}

static void expect(const char *name, int version, const char *exported) {
    void *found = NULL;
    CUdriverProcAddressQueryResult status;
    assert_ok(get(name, &found, version, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
    if (found != dlsym(api.library, exported))
        fail_msg("%s at %d is not %s", name, version, exported);
}

static void versions(void **state) {
    (void)state;
    expect("cuMemAlloc", 12000, "cuMemAlloc_v2");
    expect("cuMemAlloc", 3020, "cuMemAlloc_v2");
    expect("cuMemAlloc", 2000, "cuMemAlloc");
    expect("cuMemcpyHtoD", 12000, "cuMemcpyHtoD_v2");
    expect("cuMemcpyHtoD_v2", 12000, "cuMemcpyHtoD_v2");
    expect("cuMemcpyHtoD_v2_ptds", 12000, "cuMemcpyHtoD_v2_ptds");
    expect("cuCtxCreate", 11000, "cuCtxCreate_v2");
    expect("cuCtxCreate", 12000, "cuCtxCreate_v3");
    expect("cuCtxCreate", 13000, "cuCtxCreate_v4");
    expect("cuGetProcAddress", 11030, "cuGetProcAddress");
    expect("cuGetProcAddress", 12000, "cuGetProcAddress_v2");
    expect("cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3");
    expect("cuCtxSynchronize", 12080, "cuCtxSynchronize");
    expect("cuProfilerStart", 12000, "cuProfilerStart");
    expect("wlSimLastError", 12000, "wlSimLastError");
}

static void bad_requests(void **state) {
    (void)state;
    void *found = &found;
    CUdriverProcAddressQueryResult status;
    assert_ok(get("cuNoSuchThing", &found, 12000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_null(found);
    assert_ok(get("cuLibraryLoadData", &found, 11000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_null(found);
    assert_int_equal(get("cuNoSuchThing", &found, 12000, 0, NULL), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(get(NULL, &found, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(get("cuInit", NULL, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(get("cuInit", &found, 12000, 1 << 20, &status), CUDA_ERROR_INVALID_VALUE);
    assert_ok(get("cuInit", &found, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
    assert_non_null(found);
}

static void both_ways_lead_to_the_same(void **state) {
    (void)state;
    struct api by_name = api;
    api_close();
    assert_true(api_open(API_GET_PROC_ADDRESS));
#define COMPARE(name) assert_ptr_equal(api.name, by_name.name);
    API_MAP(COMPARE)
#undef COMPARE
}

/* Missing functions report that; per-thread and old names lead to the actual functions. */
static void stand_ins(void **state) {
    (void)state;
    CUresult (*missing)(CUgraphConditionalHandle *, CUgraph, CUcontext, unsigned, unsigned);
    *(void **)&missing = dlsym(api.library, "cuGraphConditionalHandleCreate");
    assert_int_equal(missing(NULL, NULL, NULL, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    CUresult (*memset_ptds)(CUdeviceptr, unsigned, size_t);
    *(void **)&memset_ptds = dlsym(api.library, "cuMemsetD32_v2_ptds");
    assert_int_equal(memset_ptds(0, 0, 1), CUDA_ERROR_NOT_INITIALIZED);
    CUresult (*elapsed)(float *, CUevent, CUevent);
    *(void **)&elapsed = dlsym(api.library, "cuEventElapsedTime");
    float time;
    assert_int_equal(elapsed(&time, NULL, NULL), CUDA_ERROR_NOT_INITIALIZED);
    assert_null(dlsym(api.library, "ptx_parse"));
    assert_null(dlsym(api.library, "sim_launch_run"));
    assert_null(dlsym(api.library, "entry_table"));
}

static int teardown(void **state) {
    (void)state;
    api_close();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name),   cmocka_unit_test(versions),
        cmocka_unit_test(bad_requests), cmocka_unit_test(both_ways_lead_to_the_same),
        cmocka_unit_test(stand_ins),    cmocka_unit_test(newer_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
