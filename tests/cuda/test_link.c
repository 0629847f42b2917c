/* Other inputs of the linker: host objects and libraries, and callers without a context. */
#include <dlfcn.h>
#include <stdio.h>

#include "tests/cuda/api.h"

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
        bool both; /* it also contains services.cu's kernels */
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

/* Undefined symbols in unused parts of a library are no error. */
static void unused_library(void **state) {
    (void)state;
    CUlinkState link;
    void *result;
    size_t size;
    assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
    assert_ok(api.cuLinkAddFile(link, CU_JIT_INPUT_PTX, api_path("kernels.ptx"), 0, NULL, NULL));
    assert_ok(api.cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, api_path("machine.a"), 0, NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_ok(api.cuLinkDestroy(link));
}

/* Both ends of every file: a truncated file is refused without harm. */
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

/* Four bytes identify an image, and not more bytes are read than exist. */
static void beginnings(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        CUresult result;
    } cases[] = {{"\177ELF", 4, CUDA_ERROR_NO_BINARY_FOR_GPU},
                 {"\177ELF", 3, CUDA_ERROR_INVALID_IMAGE},
                 {"\177ELG", 4, CUDA_ERROR_INVALID_IMAGE},
                 {"\177ELFx", 5, CUDA_ERROR_NO_BINARY_FOR_GPU}};
    CUlinkState link;
    assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)cases[i].bytes,
                                           cases[i].size, "image", 0, NULL, NULL),
                         cases[i].result);
    assert_ok(api.cuLinkDestroy(link));
}

/* nvJitLink's callers need no context, and its replacement uses none. */
static void no_context(void **state) {
    (void)state;
    int (*create)(unsigned, CUlinkState *);
    *(void **)&create = dlsym(api.library, "wlSimLinkCreate");
    assert_non_null(create);
    assert_int_equal(create(0, NULL), CUDA_ERROR_INVALID_VALUE);
    CUcontext context;
    assert_ok(api.cuCtxPopCurrent(&context));
    CUlinkState link;
    void *result;
    size_t size;
    assert_int_equal(api.cuLinkCreate(0, NULL, NULL, &link), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(create(0, &link), CUDA_SUCCESS);
    assert_ok(api.cuLinkAddFile(link, CU_JIT_INPUT_PTX, api_path("kernels.ptx"), 0, NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_ok(api.cuLinkDestroy(link));
    assert_int_equal(api.cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuCtxPushCurrent(context));
}

static int registers_of(CUmodule module, const char *name) {
    CUfunction function;
    int registers;
    assert_ok(api.cuModuleGetFunction(&function, module, name));
    assert_ok(api.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    assert_ok(api.cuModuleUnload(module));
    return registers;
}

/* PTX directives in comments and names are ignored; a kernel's own limit, a declaration and a function that
 * is not a kernel remain unchanged. */
static const char LIMITS[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    "/* .entry { *//* .entry \"{ */ // .entry {\n"
    ".file 1 \"a\\\".entry {\\\\\" .file 2 \"/*\"\n"
    ".func entry() { ret; }\n"
    ".visible .entry own() .maxnreg 12 { .reg .b32 %r<9>; mov.u32 %r1, 1; ret; }\n"
    ".visible .entry many(.param .u64 p /* { */) // .maxnreg 3\n"
    "{ .reg .b32 %r<40>; .reg .b64 %d<2>; ld.param.u64 %d1, [p];\n"
    "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4]; ld.global.u32 %r3, [%d1+8]; ld.global.u32 %r4, "
    "[%d1+12];\n"
    "ld.global.u32 %r5, [%d1+16]; ld.global.u32 %r6, [%d1+20]; ld.global.u32 %r7, [%d1+24]; "
    "ld.global.u32 %r8, [%d1+28];\n"
    "st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%d1+16], {%r5, %r6, %r7, %r8};\n"
    "ret; }\n";

static void limited_registers(void **state) {
    (void)state;
    enum { LIMIT = 10, OWN = 12 };
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *value = (void *)(uintptr_t)LIMIT, *result;
    CUmodule module;
    CUlinkState link;
    CUlibrary library;
    CUkernel kernel;
    size_t size;
    int registers;
    assert_ok(api.cuModuleLoadData(&module, LIMITS));
    assert_true(registers_of(module, "many") > OWN);
    assert_ok(api.cuModuleLoadDataEx(&module, LIMITS, 1, &option, &value));
    assert_int_equal(registers_of(module, "many"), LIMIT);
    assert_ok(api.cuModuleLoadDataEx(&module, LIMITS, 1, &option, &value));
    assert_true(registers_of(module, "own") <= OWN);
    assert_ok(api.cuLinkCreate(1, &option, &value, &link));
    assert_ok(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)LIMITS, sizeof LIMITS, "limits", 0,
                                NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_int_equal(size, strlen(result) + 1);
    assert_ok(api.cuModuleLoadData(&module, result));
    assert_ok(api.cuLinkDestroy(link));
    assert_int_equal(registers_of(module, "many"), LIMIT);
    assert_ok(api.cuLibraryLoadData(&library, LIMITS, &option, &value, 1, NULL, NULL, 0));
    assert_ok(api.cuLibraryGetKernel(&kernel, library, "many"));
    assert_ok(api.cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    assert_int_equal(registers, LIMIT);
    assert_ok(api.cuLibraryUnload(library));
}

/* A kernel that needs too many registers gets a limit just below the maximum. */
static void most_registers(void **state) {
    (void)state;
    enum { VALUES = 300 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out,
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
            ".reg .b32 %%r<%d>; .reg .b64 %%d<2>; ld.param.u64 %%d1, [p];\n",
            VALUES);
    for (int i = 0; i < VALUES; i++)
        fprintf(out, "ld.global.u32 %%r%d, [%%d1+%d];\n", i, 4 * i);
    for (int i = 0; i < VALUES; i++)
        fprintf(out, "st.global.u32 [%%d1+%d], %%r%d;\n", 4 * i, VALUES - 1 - i);
    fputs("ret; }\n", out);
    assert_int_equal(fclose(out), 0);
    for (uintptr_t limit = 253; limit <= 255; limit++) {
        CUjit_option option = CU_JIT_MAX_REGISTERS;
        void *value = (void *)limit;
        CUmodule module;
        assert_ok(api.cuModuleLoadDataEx(&module, text, 1, &option, &value));
        assert_int_equal(registers_of(module, "k"), limit);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(objects),           cmocka_unit_test(unused_library),
                                       cmocka_unit_test(cut_short),         cmocka_unit_test(refused),
                                       cmocka_unit_test(beginnings),        cmocka_unit_test(no_context),
                                       cmocka_unit_test(limited_registers), cmocka_unit_test(most_registers)};
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
