/* Loading: every form of an image, refusals and their messages, a module's contents. */
#include <stdio.h>
#include <unistd.h>

#include "tests/cuda/api.h"

static const char BROKEN[] = ".version 7.0\n.target sm_75\n.address_size 64\n\n"
                             ".visible .entry broken()\n{\n    frobnicate.u32 %r1;\n    ret;\n}\n";

static void check_module(CUmodule module) {
    CUfunction function, again;
    assert_ok(api.cuModuleGetFunction(&function, module, "vadd"));
    assert_ok(api.cuModuleGetFunction(&again, module, "vadd"));
    assert_ptr_equal(function, again);
    CUmodule owner;
    assert_ok(api.cuFuncGetModule(&owner, function));
    assert_ptr_equal(owner, module);
    assert_int_equal(api.cuModuleGetFunction(&function, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(api.cuModuleGetFunction(&function, module, NULL), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr address;
    size_t size;
    int counter = 0;
    assert_ok(api.cuModuleGetGlobal(&address, &size, module, "counter"));
    assert_int_equal(size, sizeof counter);
    assert_ok(api.cuMemcpyDtoH(&counter, address, sizeof counter));
    assert_int_equal(counter, 41);
    float table[4];
    assert_ok(api.cuModuleGetGlobal(&address, &size, module, "table"));
    assert_int_equal(size, sizeof table);
    assert_ok(api.cuMemcpyDtoH(table, address, sizeof table));
    assert_true(table[0] == 1 && table[3] == 4);
    assert_int_equal(api.cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuModuleGetGlobal(&address, &size, module, "no_such"), CUDA_ERROR_NOT_FOUND);
}

static const char *const images[] = {"default.fatbin", "speed.fatbin", "size.fatbin",
                                     "none.fatbin",    "lines.fatbin", "lines-none.fatbin",
                                     "mixed.fatbin",   "kernels.ptx",  "lines.ptx"};

static void every_form(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        char *image = api_read(images[i], NULL);
        CUmodule a, b, c;
        assert_ok(api.cuModuleLoad(&a, api_path(images[i])));
        assert_ok(api.cuModuleLoadData(&b, image));
        assert_ok(api.cuModuleLoadFatBinary(&c, image));
        free(image); /* the driver keeps a copy */
        check_module(a);
        check_module(b);
        check_module(c);
        assert_ok(api.cuModuleUnload(a));
        assert_ok(api.cuModuleUnload(b));
        assert_ok(api.cuModuleUnload(c));
        assert_int_equal(api.cuModuleUnload(c), CUDA_ERROR_INVALID_HANDLE);
    }
}

struct wrapper {
    unsigned magic, version;
    const void *data;
    const void *const *parts;
};

static void wrappers(void **state) {
    (void)state;
    char *image = api_read("default.fatbin", NULL), *machine = api_read("machine.fatbin", NULL);
    CUmodule module;
    struct wrapper wrapper = {0x466243b1, 1, image, NULL};
    assert_ok(api.cuModuleLoadData(&module, &wrapper));
    check_module(module);
    assert_ok(api.cuModuleUnload(module));
    const void *one[] = {machine, image, NULL}, *two[] = {image, image, NULL}, *none[] = {machine, NULL};
    wrapper = (struct wrapper){0x466243b1, 2, image, one};
    assert_ok(api.cuModuleLoadData(&module, &wrapper));
    assert_ok(api.cuModuleUnload(module));
    wrapper.parts = two;
    assert_int_equal(api.cuModuleLoadData(&module, &wrapper), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(api.last_error(), "already defined"));
    wrapper.parts = none;
    assert_int_equal(api.cuModuleLoadData(&module, &wrapper), CUDA_ERROR_NO_BINARY_FOR_GPU);
    wrapper = (struct wrapper){0x466243b1, 1, NULL, NULL};
    assert_int_equal(api.cuModuleLoadData(&module, &wrapper), CUDA_ERROR_INVALID_IMAGE);
    wrapper = (struct wrapper){0x466243b1, 7, image, NULL};
    assert_int_equal(api.cuModuleLoadData(&module, &wrapper), CUDA_ERROR_INVALID_IMAGE);
    free(image);
    free(machine);
}

static void refused(void **state) {
    (void)state;
    CUmodule module = (CUmodule)1;
    assert_int_equal(api.cuModuleLoad(&module, api_path("machine.fatbin")), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_null(module);
    assert_non_null(strstr(api.last_error(), "-gencode arch=compute_75,code=compute_75"));
    assert_int_equal(api.cuModuleLoad(&module, api_path("machine.cubin")), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(api.last_error(), "-gencode arch=compute_75,code=compute_75"));
    /* Programs that compile at run time have no nvcc options, and no file. */
    size_t size;
    char *machine = api_read("machine.cubin", &size);
    assert_int_equal(api.cuModuleLoadData(&module, machine), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(api.last_error(), "Numba, Triton"));
    assert_null(strstr(api.last_error(), "-gencode"));
    free(machine);
    assert_int_equal(api.cuModuleLoad(&module, api_path("no such file")), CUDA_ERROR_FILE_NOT_FOUND);
    assert_non_null(strstr(api.last_error(), "no such file"));
    assert_int_equal(api.cuModuleLoad(&module, TEST_FILES), CUDA_ERROR_OPERATING_SYSTEM);
    assert_int_equal(api.cuModuleLoadData(&module, "\x01\x02\x03\x04"), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(api.cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(api.cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuModuleLoadData(NULL, BROKEN), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuModuleLoadData(&module, "this is not PTX"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(api.cuModuleLoadData(&module, BROKEN), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(api.last_error(), "PTX in memory:7:"));
    assert_non_null(strstr(api.last_error(), "frobnicate"));
    assert_non_null(strchr(api.last_error(), '^'));
}

/* The answers are those of an H200's driver. */
static void targets(void **state) {
    (void)state;
    static const struct {
        const char *target;
        CUresult result;
    } cases[] = {
        {"sm_50", CUDA_SUCCESS},
        {"sm_90", CUDA_SUCCESS},
        {"sm_90a", CUDA_SUCCESS},
        {"sm_90f", CUDA_ERROR_INVALID_PTX},
        {"sm_100", CUDA_ERROR_INVALID_PTX},
        {"sm_100a", CUDA_ERROR_INVALID_PTX},
        {"sm_100f", CUDA_ERROR_INVALID_PTX},
        {"sm_89a", CUDA_ERROR_INVALID_PTX},
        {"sm_999", CUDA_ERROR_INVALID_PTX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        CUmodule module;
        CUfunction function;
        snprintf(text, sizeof text,
                 ".version 8.0\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n",
                 cases[i].target);
        CUresult result = api.cuModuleLoadData(&module, text);
        if (result != cases[i].result)
            fail_msg("%s: %d, expected %d", cases[i].target, result, cases[i].result);
        if (result) {
            assert_non_null(strstr(api.last_error(), cases[i].target));
            continue;
        }
        int value = 0;
        assert_ok(api.cuModuleGetFunction(&function, module, "k"));
        assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
        assert_int_equal(value, 90); /* compiled for the device, whatever its target */
        assert_ok(api.cuModuleUnload(module));
    }
}

static void jit_logs(void **state) {
    (void)state;
    char error_log[512], info_log[64];
    float wall;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_WALL_TIME,        CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {error_log, (void *)sizeof error_log, info_log, (void *)sizeof info_log, NULL,
                      (void *)4};
    CUmodule module;
    memset(error_log, 'x', sizeof error_log);
    assert_int_equal(api.cuModuleLoadDataEx(&module, BROKEN, 6, options, values), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(error_log, "frobnicate"));
    assert_int_equal((uintptr_t)values[1], strlen(error_log));
    assert_int_equal((uintptr_t)values[3], 0);
    /* A short buffer is filled and terminated, and not overrun. */
    memset(error_log, 'x', sizeof error_log);
    values[1] = (void *)10;
    assert_int_equal(api.cuModuleLoadDataEx(&module, BROKEN, 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(strlen(error_log), 9);
    assert_int_equal(error_log[10], 'x');
    char *good = api_read("kernels.ptx", NULL);
    values[1] = (void *)sizeof error_log;
    assert_ok(api.cuModuleLoadDataEx(&module, good, 6, options, values));
    assert_string_equal(error_log, "");
    assert_int_equal((uintptr_t)values[1], 0);
    memcpy(&wall, &values[4], sizeof wall);
    assert_true(wall >= 0 && wall < 60000);
    assert_ok(api.cuModuleUnload(module));
    options[0] = (CUjit_option)1000;
    assert_int_equal(api.cuModuleLoadDataEx(&module, good, 1, options, values), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuModuleLoadDataEx(&module, good, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    free(good);
}

static void functions(void **state) {
    (void)state;
    CUmodule module;
    CUfunction vadd, bounded, tiled;
    int value;
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&vadd, module, "vadd"));
    assert_ok(api.cuModuleGetFunction(&bounded, module, "bounded"));
    assert_ok(api.cuModuleGetFunction(&tiled, module, "static_shared"));
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, vadd));
    assert_int_equal(value, 1024);
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
    assert_int_equal(value, 64);
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, tiled));
    assert_int_equal(value, 1024);
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, vadd));
    assert_int_equal(value, 75);
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, vadd));
    assert_true(value > 0 && value <= 255);
    assert_ok(api.cuFuncSetAttribute(vadd, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, vadd));
    assert_int_equal(value, 100000);
    assert_int_equal(
        api.cuFuncSetAttribute(vadd, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 + 1),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        api.cuFuncSetAttribute(tiled, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024),
        CUDA_ERROR_INVALID_VALUE);
    /* PTX alone gives an estimate; with machine code the number is ptxas's. */
    CUmodule both;
    CUfunction known;
    FILE *usage = fopen(api_path("usage.txt"), "r");
    char line[400];
    int used = 0;
    assert_non_null(usage);
    while (fgets(line, sizeof line, usage) && !strstr(line, "entry function 'vadd'"))
        ;
    while (fgets(line, sizeof line, usage) && !strstr(line, "Used "))
        ;
    fclose(usage);
    assert_int_equal(sscanf(strstr(line, "Used "), "Used %d registers", &used), 1);
    assert_ok(api.cuModuleLoad(&both, api_path("both.fatbin")));
    assert_ok(api.cuModuleGetFunction(&known, both, "vadd"));
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, known));
    assert_int_equal(value, used);
    assert_ok(api.cuModuleUnload(both));
    assert_int_equal(api.cuFuncSetAttribute(vadd, CU_FUNC_ATTRIBUTE_NUM_REGS, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuFuncGetAttribute(&value, (CUfunction_attribute)99, vadd),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuFuncSetCacheConfig(vadd, CU_FUNC_CACHE_PREFER_SHARED));
    assert_ok(api.cuModuleUnload(module));
    assert_int_equal(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, vadd),
                     CUDA_ERROR_INVALID_HANDLE);
}

static void libraries(void **state) {
    (void)state;
    CUlibrary library;
    CUkernel kernel;
    CUmodule module, elsewhere;
    CUfunction function;
    char *image = api_read("default.fatbin", NULL);
    assert_ok(api.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    free(image);
    assert_ok(api.cuLibraryGetKernel(&kernel, library, "vadd"));
    assert_int_equal(api.cuLibraryGetKernel(&kernel, library, "none"), CUDA_ERROR_NOT_FOUND);
    assert_ok(api.cuLibraryGetModule(&module, library));
    check_module(module);
    assert_int_equal(api.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE); /* it belongs to the library */
    assert_ok(api.cuKernelGetFunction(&function, kernel));
    int value;
    assert_ok(api.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, kernel, 0));
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    assert_int_equal(value, 60000);
    /* Another context has its own variables, and shares the attributes that were set. */
    CUcontext other;
    CUdeviceptr here, there;
    size_t size;
    assert_ok(api.cuLibraryGetGlobal(&here, &size, library, "counter"));
    assert_ok(api.context_create(&other, 0, 0));
    assert_ok(api.cuLibraryGetModule(&elsewhere, library));
    assert_ptr_not_equal(elsewhere, module);
    assert_ok(api.cuLibraryGetGlobal(&there, &size, library, "counter"));
    assert_true(here != there);
    assert_ok(api.cuKernelGetFunction(&function, kernel));
    assert_ok(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    assert_int_equal(value, 60000);
    assert_ok(api.cuCtxDestroy(other));
    assert_ok(api.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    assert_int_equal(value, 1024);
    assert_ok(api.cuLibraryUnload(library));
    assert_int_equal(api.cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuKernelGetFunction(&function, kernel), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuLibraryLoadFromFile(&library, api_path("kernels.ptx"), NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(api.cuLibraryUnload(library));
    assert_int_equal(api.cuLibraryLoadData(&library, BROKEN, NULL, NULL, 0, NULL, NULL, 0),
                     CUDA_ERROR_INVALID_PTX);
}

static void linking(void **state) {
    (void)state;
    CUlinkState link;
    CUmodule module;
    void *result;
    size_t size, ptx_size;
    char *ptx = api_read("kernels.ptx", &ptx_size);
    assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
    assert_int_equal(api.cuLinkComplete(link, &result, &size), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx, ptx_size + 1, "kernels", 0, NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_int_equal(size, ptx_size + 1);
    assert_ok(api.cuModuleLoadData(&module, result));
    check_module(module);
    assert_ok(api.cuLinkDestroy(link));
    assert_int_equal(api.cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuModuleUnload(module));
    char log[256];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    assert_ok(api.cuLinkCreate(2, options, values, &link));
    assert_int_equal(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)BROKEN, sizeof BROKEN,
                                       "bad.ptx", 0, NULL, NULL),
                     CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "bad.ptx:7:"));
    assert_ok(api.cuLinkDestroy(link));
    /* Two definitions of the same kernels. */
    assert_ok(api.cuLinkCreate(2, options, values, &link));
    for (int i = 0; i < 2; i++)
        assert_ok(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx, ptx_size + 1, "kernels", 0, NULL, NULL));
    assert_int_equal(api.cuLinkComplete(link, &result, &size), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "already defined"));
    assert_ok(api.cuLinkDestroy(link));
    free(ptx);
}

/* One module uses a function and a variable of another; both have a private variable of the same name. */
static void linking_two(void **state) {
    (void)state;
    static const char head[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    static const char user[] = ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
                               ".extern .global .align 4 .u32 shared;\n"
                               ".global .align 4 .u32 own = 100;\n"
                               ".visible .entry use(.param .u64 out) {\n"
                               ".reg .b32 %r<5>; .reg .b64 %d<2>; .param .b32 a; .param .b32 r;\n"
                               "ld.param.u64 %d1, [out]; ld.global.u32 %r1, [own]; st.param.b32 [a], %r1;\n"
                               "call (r), twice, (a); ld.param.b32 %r2, [r]; ld.global.u32 %r3, [shared];\n"
                               "add.u32 %r2, %r2, %r3; st.global.u32 [%d1], %r2; ret; }\n";
    static const char giver[] = ".visible .global .align 4 .u32 shared = 7;\n"
                                ".global .align 4 .u32 own = 1000;\n"
                                ".visible .func (.param .b32 r) twice(.param .b32 a) {\n"
                                ".reg .b32 %r<3>; ld.param.b32 %r1, [a]; shl.b32 %r1, %r1, 1;\n"
                                "ld.global.u32 %r2, [own]; add.u32 %r1, %r1, %r2;\n"
                                "st.param.b32 [r], %r1; ret; }\n";
    char first[2048], second[2048];
    snprintf(first, sizeof first, "%s%s", head, user);
    snprintf(second, sizeof second, "%s%s", head, giver);
    CUlinkState link;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    void *result;
    size_t size;
    unsigned value = 0;
    assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
    assert_ok(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, first, strlen(first) + 1, "user", 0, NULL, NULL));
    assert_ok(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, second, strlen(second) + 1, "giver", 0, NULL, NULL));
    assert_ok(api.cuLinkComplete(link, &result, &size));
    assert_ok(api.cuModuleLoadData(&module, result));
    assert_ok(api.cuLinkDestroy(link));
    assert_ok(api.cuModuleGetFunction(&function, module, "use"));
    assert_ok(api.cuMemAlloc(&out, 4));
    void *arguments[] = {&out};
    assert_ok(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_ok(api.cuMemcpyDtoH(&value, out, 4));
    assert_int_equal(value, 2 * 100 + 1000 + 7);
    assert_ok(api.cuMemFree(out));
    assert_ok(api.cuModuleUnload(module));
    /* A symbol that nobody defines. */
    assert_ok(api.cuLinkCreate(0, NULL, NULL, &link));
    assert_ok(api.cuLinkAddData(link, CU_JIT_INPUT_PTX, first, strlen(first) + 1, "user", 0, NULL, NULL));
    assert_int_equal(api.cuLinkComplete(link, &result, &size), CUDA_ERROR_INVALID_PTX);
    assert_ok(api.cuLinkDestroy(link));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form), cmocka_unit_test(wrappers), cmocka_unit_test(refused),
        cmocka_unit_test(targets),    cmocka_unit_test(jit_logs), cmocka_unit_test(functions),
        cmocka_unit_test(libraries),  cmocka_unit_test(linking),  cmocka_unit_test(linking_two),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
