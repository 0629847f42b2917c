/* The driver's services for running kernels: output, failed asserts, heap, barriers. */
#include <stdio.h>
#include <unistd.h>

#include "tests/cuda/api.h"

static CUcontext context;
static CUmodule module;

static int setup(void **state) {
    (void)state;
    return api.context_create(&context, 0, 0) || api.cuModuleLoad(&module, api_path("services.ptx")) ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    return api.cuCtxDestroy(context) ? -1 : 0;
}

static CUfunction kernel(const char *name) {
    CUfunction function;
    assert_ok(api.cuModuleGetFunction(&function, module, name));
    return function;
}

static CUresult launch(const char *name, unsigned block, void **params) {
    return api.cuLaunchKernel(kernel(name), 1, 1, 1, block, 1, 1, 0, NULL, params, NULL);
}

/* Redirects a stream to a file until restore(), which returns what was written. */
struct redirection {
    FILE *stream, *file;
    int kept;
};

static struct redirection redirect(FILE *stream) {
    struct redirection r = {stream, tmpfile(), -1};
    assert_non_null(r.file);
    fflush(stream);
    r.kept = dup(fileno(stream));
    assert_true(r.kept >= 0 && dup2(fileno(r.file), fileno(stream)) >= 0);
    return r;
}

static void restore(struct redirection *r, char *text, size_t size) {
    fflush(r->stream);
    dup2(r->kept, fileno(r->stream));
    close(r->kept);
    rewind(r->file);
    text[fread(text, 1, size - 1, r->file)] = 0;
    fclose(r->file);
}

static void printing(void **state) {
    (void)state;
    char text[256];
    int number = 1;
    void *params[] = {&number};
    struct redirection r = redirect(stdout);
    printf("host 0\n");
    CUresult first = launch("say", 2, params);
    printf("host 1\n");
    number = 2;
    CUresult second = launch("say", 1, params);
    restore(&r, text, sizeof text);
    assert_ok(first);
    assert_ok(second);
    assert_string_equal(text, "host 0\nkernel 1\nkernel 1\nhost 1\nkernel 2\n");
    /* A smaller buffer keeps the last lines: each takes 16 bytes, and 8 for its number. */
    assert_ok(api.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 3 * 24));
    r = redirect(stdout);
    first = launch("say", 32, params);
    restore(&r, text, sizeof text);
    assert_ok(first);
    assert_string_equal(text, "kernel 2\nkernel 2\nkernel 2\n");
}

static void failed_assert(void **state) {
    (void)state;
    char text[256], error[1024];
    int number = 10;
    void *params[] = {&number};
    struct redirection out = redirect(stdout), err = redirect(stderr);
    CUresult result = launch("must_be_small", 1, params);
    restore(&err, error, sizeof error);
    restore(&out, text, sizeof text);
    assert_ok(result);
    assert_string_equal(text, "asserting\n");
    const char *line = strstr(error, "services.cu:");
    assert_non_null(line);
    assert_string_equal(
        strchr(line, ' '),
        " void must_be_small(int): block: [0,0,0], thread: [0,0,0] Assertion `number < 10` failed.\n");
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_ASSERT);
}

static void heap(void **state) {
    (void)state;
    CUdeviceptr kept, gone;
    assert_ok(api.cuMemAlloc(&kept, 8));
    size_t bytes = 8 << 20, limit;
    void *params[] = {&kept, &bytes};
    void *pointer = NULL;
    assert_ok(launch("take", 1, params));
    assert_ok(api.cuMemcpyDtoH(&pointer, kept, 8));
    assert_non_null(pointer);
    gone = (CUdeviceptr)(uintptr_t)pointer;
    assert_int_equal(api.cuMemFree(gone), CUDA_ERROR_INVALID_VALUE); /* only kernels may free it */
    assert_int_equal(api.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20), CUDA_ERROR_INVALID_VALUE);
    assert_ok(launch("take", 1, params));
    assert_ok(api.cuMemcpyDtoH(&pointer, kept, 8));
    assert_null(pointer);
    /* Another context has its own heap, whose size can be set until it is first used. */
    CUcontext other;
    CUmodule first = module;
    assert_ok(api.context_create(&other, 0, 0));
    assert_ok(api.cuModuleLoad(&module, api_path("services.ptx")));
    assert_ok(api.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
    assert_ok(api.cuMemAlloc(&kept, 8));
    bytes = 16 << 20;
    assert_ok(launch("take", 1, params));
    assert_ok(api.cuMemcpyDtoH(&pointer, kept, 8));
    assert_non_null(pointer);
    assert_ok(api.cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(limit, 16 << 20);
    assert_ok(api.cuCtxDestroy(other));
    module = first;
}

static void cooperative(void **state) {
    (void)state;
    CUdeviceptr out;
    int sums[24 * 64];
    assert_ok(api.cuMemAlloc(&out, sizeof sums));
    void *params[] = {&out};
    CUfunction meet = kernel("meet");
    for (int way = 0; way < 2; way++) {
        assert_ok(api.cuMemsetD8(out, 0, sizeof sums));
        CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
        CUlaunchConfig config = {.gridDimX = 24,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 64,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
        assert_ok(way ? api.cuLaunchKernelEx(&config, meet, params, NULL)
                      : api.cuLaunchCooperativeKernel(meet, 24, 1, 1, 64, 1, 1, 0, NULL, params));
        assert_ok(api.cuMemcpyDtoH(sums, out, sizeof sums));
        for (int i = 0; i < 24 * 64; i++)
            assert_int_equal(sums[i], 24 * 64);
    }
    int blocks;
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, meet, 1024, 0));
    assert_int_equal(
        api.cuLaunchCooperativeKernel(meet, (unsigned)blocks * 132 + 1, 1, 1, 1024, 1, 1, 0, NULL, params),
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_ok(api.cuCtxSynchronize());
    /* In an ordinary launch there is no grid barrier: cooperative_groups traps. */
    assert_ok(api.cuLaunchKernel(meet, 2, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(printing, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_assert, setup, teardown),
        cmocka_unit_test_setup_teardown(heap, setup, teardown),
        cmocka_unit_test_setup_teardown(cooperative, setup, teardown),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
