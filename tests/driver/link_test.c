/* The linker's other inputs: host objects and libraries, and a caller without a context. */
#include <dlfcn.h>

#include "tests/driver/api.h"

static CUmodule link_file(const char *file, CUjitInputType type) {
    CUlinkState link;
    CUmodule module;
    void *result;
    size_t size;
    assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
    assert_ok(api.cuLinkAddFile(link, type, api_path(file), 0, NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_int_equal(((char *)result)[size - 1], 0);
    assert_ok(api.cuModuleLoadData(&module, result));
    assert_ok(api.cuLinkDestroy(link));
    return module;
}

static bool has_kernel(CUmodule module, const char *name) {
    CUfunction function;
    CUresult error = api.cuModuleGetFunction(&function, module, name);
    assert_true(error == CUDA_SUCCESS || error == CUDA_ERROR_NOT_FOUND);
    return error == CUDA_SUCCESS;
}

static void objects(void **state) {
    (void)state;
    static const struct {
        const char *file;
        CUjitInputType type;
        bool both; /* it holds services.cu's kernels, too */
    } cases[] = {{"complete.o", CU_JIT_INPUT_OBJECT, false},
                 {"linked.o", CU_JIT_INPUT_OBJECT, false},
                 {"joined.o", CU_JIT_INPUT_OBJECT, true},
                 {"objects.a", CU_JIT_INPUT_LIBRARY, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUmodule module = link_file(cases[i].file, cases[i].type);
        if (!has_kernel(module, "vadd") || has_kernel(module, "say") != cases[i].both)
            fail_msg("%s: wrong kernels", cases[i].file);
        assert_ok(api.cuModuleUnload(module));
    }
}

/* Both ends of every file: a damaged one is refused and harms nothing. */
static void cut_short(void **state) {
    (void)state;
    static const char *const files[] = {"joined.o", "objects.a"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        char *data = api_read(files[i], &size);
        for (size_t length = 1; length < size; length += length / 7 + 1) {
            char *part = malloc(length);
            assert_non_null(part);
            memcpy(part, data, length);
            for (CUjitInputType type = CU_JIT_INPUT_OBJECT; type <= CU_JIT_INPUT_LIBRARY; type++) {
                CUlinkState link;
                assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
                (void)api.cuLinkAddData(link, type, part, length, "part", 0, NULL, NULL);
                assert_ok(api.cuLinkDestroy(link));
            }
            free(part);
        }
        free(data);
    }
}

static void refused(void **state) {
    (void)state;
    char log[512];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUlinkState link;
    assert_ok(api.cuLinkCreate(2, options, values, &link));
    assert_int_equal(api.cuLinkAddFile(link, CU_JIT_INPUT_OBJECT, api_path("machine.o"), 0, NULL, NULL),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(log, "machine.o: it holds no PTX"));
    values[1] = (void *)sizeof log;
    assert_int_equal(api.cuLinkAddFile(link, CU_JIT_INPUT_OBJECT, api_path("kernels.ptx"), 0, NULL, NULL),
                     CUDA_ERROR_INVALID_IMAGE);
    assert_non_null(strstr(log, "kernels.ptx: neither an object nor a library"));
    values[1] = (void *)sizeof log;
    assert_int_equal(api.cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, api_path("machine.cubin"), 0, NULL, NULL),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(log, "machine code"));
    assert_int_equal(api.cuLinkAddFile(link, CU_JIT_INPUT_OBJECT, "/no/such/file.o", 0, NULL, NULL),
                     CUDA_ERROR_FILE_NOT_FOUND);
    assert_int_equal(api.cuLinkAddFile(link, CU_JIT_INPUT_NVVM, api_path("machine.o"), 0, NULL, NULL),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_ok(api.cuLinkDestroy(link));
}

/* nvJitLink's callers need no context, and its stand-in uses none. */
static void no_context(void **state) {
    (void)state;
    int (*create)(CUlinkState *);
    *(void **)&create = dlsym(api.library, "wlSimLinkCreate");
    assert_non_null(create);
    assert_int_equal(create(NULL), CUDA_ERROR_INVALID_VALUE);
    CUcontext context;
    assert_ok(api.cuCtxPopCurrent(&context));
    CUlinkState link;
    void *result;
    size_t size;
    assert_int_equal(api.cuLinkCreate(0, NULL, NULL, &link), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(create(&link), CUDA_SUCCESS);
    assert_ok(api.cuLinkAddFile(link, CU_JIT_INPUT_PTX, api_path("kernels.ptx"), 0, NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_ok(api.cuLinkDestroy(link));
    assert_int_equal(api.cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuCtxPushCurrent(context));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(objects), cmocka_unit_test(cut_short),
                                       cmocka_unit_test(refused), cmocka_unit_test(no_context)};
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
