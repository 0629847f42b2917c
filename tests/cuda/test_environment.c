/* The environment's settings; this process was started with some of them. */
#include <stdio.h>
#include <unistd.h>

#include "tests/cuda/api.h"

static bool is(const char *name, const char *value) {
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

static bool is_bad(void) {
    static const char *const bad[][2] = {
        {"WIDELOAD_ARCH", "sm_8O"},           {"WIDELOAD_SIM_MEMORY", "64Q"},
        {"WIDELOAD_SIM_MEMORY", "0"},         {"WIDELOAD_SIM_MEMORY", "99999999999999999999"},
        {"WIDELOAD_SIM_MEMORY", "16777216T"}, {"WIDELOAD_SIM_MEMORY", "18446744073709551616"},
        {"WIDELOAD_THREADS", "-3"},           {"WIDELOAD_THREADS", "+4"},
        {"WIDELOAD_THREADS", "4x"},           {"WIDELOAD_THREADS", "0"},
        {"WIDELOAD_THREADS", "4097"},         {"WIDELOAD_THREADS", "99999999999999999999"},
        {"WIDELOAD_SIM_DEVICES", "0"},        {"WIDELOAD_SIM_DEVICES", "17"},
        {"WIDELOAD_SIM_DEVICES", "+2"},       {"WIDELOAD_SIM_DEVICES", "two"},
        {"WIDELOAD_SIM_DEVICES", "2x"},       {"WIDELOAD_THREADS", "many"},
        {"WIDELOAD_CHECK", "memory,racing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (is(bad[i][0], bad[i][1]))
            return true;
    return false;
}

static void settings(void **state) {
    (void)state;
    assert_true(api_open(API_DLSYM));
    if (is_bad()) {
        assert_int_equal(api.cuInit(0), CUDA_ERROR_INVALID_VALUE);
        assert_non_null(strstr(api.last_error(), "WIDELOAD_"));
        assert_int_equal(api.cuInit(0), CUDA_ERROR_INVALID_VALUE);
        int count;
        assert_int_equal(api.cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
        api_close();
        return;
    }
    assert_ok(api.cuInit(0));
    assert_string_equal(api.arch(), is("WIDELOAD_ARCH", "sm_80") ? "sm_80" : "sm_90");
    int count;
    const size_t devices = is("WIDELOAD_SIM_DEVICES", "16") ? 16 : 1;
    assert_ok(api.cuDeviceGetCount(&count));
    assert_int_equal(count, devices);
    size_t total;
    assert_ok(api.cuDeviceTotalMem(&total, 0));
    if (is("WIDELOAD_SIM_MEMORY", "64M"))
        assert_int_equal(total, 64 << 20);
    else if (is("WIDELOAD_SIM_MEMORY", "16777215T"))
        assert_true(total == (size_t)16777215 << 40);
    else if (is("WIDELOAD_SIM_MEMORY", "18446744073709551615"))
        assert_true(total == SIZE_MAX);
    else /* three quarters of the host's memory, which the devices share out */
        assert_int_equal(total,
                         (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4 * 3 / devices);
    CUcontext context;
    CUmodule module;
    CUfunction function;
    assert_ok(api.context_create(&context, 0, 0));
    if (is("WIDELOAD_SIM_MEMORY", "64M")) { /* to the last byte */
        CUdeviceptr all, more;
        size_t left = 1;
        assert_ok(api.cuMemAlloc(&all, total));
        assert_ok(api.cuMemGetInfo(&left, &total));
        assert_int_equal(left, 0);
        assert_int_equal(api.cuMemAlloc(&more, 1), CUDA_ERROR_OUT_OF_MEMORY);
        assert_ok(api.cuMemFree(all));
    }
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&function, module, "store_at"));
    CUdeviceptr address = 0;
    int value = 1;
    void *params[] = {&address, &value};
    CUresult error = api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(error, is("CUDA_LAUNCH_BLOCKING", "1") ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS);
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_ok(api.cuCtxDestroy(context));
    api_close();
}

/* Nothing is printed, except for one line per fault or missing function if WIDELOAD_LOG=1. */
static void log_lines(void **state) {
    (void)state;
    if (is_bad())
        return;
    FILE *file = tmpfile();
    assert_non_null(file);
    int saved = dup(2);
    fflush(stderr);
    assert_true(dup2(fileno(file), 2) >= 0);
    bool opened = api_open(API_DLSYM) && !api.cuInit(0);
    CUcontext context = NULL;
    CUmodule module;
    CUresult created = opened ? api.context_create(&context, 0, 0) : CUDA_ERROR_UNKNOWN;
    CUresult loaded =
        created ? created : api.cuModuleLoadData(&module, ".version 7.0\n.target sm_75\nnonsense\n");
    CUresult missing =
        created ? created
                : api.cuGraphConditionalHandleCreate(&(CUgraphConditionalHandle){0}, NULL, NULL, 0, 0);
    if (context)
        api.cuCtxDestroy(context);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    assert_ok(created);
    assert_int_equal(loaded, CUDA_ERROR_INVALID_PTX);
    assert_int_equal(missing, CUDA_ERROR_NOT_SUPPORTED);
    api_close();
    rewind(file);
    char line[1024];
    int lines = 0;
    while (fgets(line, sizeof line, file)) {
        assert_true(strncmp(line, "wideload-sim: ", 14) == 0);
        if (lines++ == 1)
            assert_non_null(strstr(line, "cuGraphConditionalHandleCreate"));
    }
    fclose(file);
    assert_int_equal(lines, is("WIDELOAD_LOG", "1") ? 2 : 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings),
        cmocka_unit_test(log_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
