/* Functions that cuda.h still declares of launches before CUDA 4, contexts that are attached to, and pools
 * and batches of CUDA 13. */
#include <dlfcn.h>
#include <stdint.h>

#include "tests/driver/api.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define STRING(name) #name
/* Found by the name that cuda.h's macros make of it. */
#define CALL(name) ((__typeof__(name) *)find(STRING(name)))

static void *find(const char *name) {
    void *function = dlsym(api.library, name);
    if (!function)
        fail_msg("%s is not there", name);
    return function;
}

static void launches(void **state) {
    (void)state;
    enum { COUNT = 200 };
    CUmodule module;
    CUfunction vadd, add_one;
    CUdeviceptr a, b, c;
    float in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)i;
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&vadd, module, "vadd"));
    assert_ok(api.cuModuleGetFunction(&add_one, module, "no_parameters"));
    assert_ok(api.cuMemAlloc(&a, sizeof in));
    assert_ok(api.cuMemAlloc(&b, sizeof in));
    assert_ok(api.cuMemAlloc(&c, sizeof in));
    assert_ok(api.cuMemcpyHtoD(a, in, sizeof in));
    assert_ok(api.cuMemcpyHtoD(b, in, sizeof in));

    assert_ok(CALL(cuLaunch)(add_one)); /* one block of one thread where nothing was set */
    assert_ok(CALL(cuLaunchGrid)(add_one, 3, 2));
    CUdeviceptr counter;
    size_t size;
    int counted = 0;
    assert_ok(api.cuModuleGetGlobal(&counter, &size, module, "counter"));
    assert_ok(api.cuMemcpyDtoH(&counted, counter, sizeof counted));
    assert_int_equal(counted, 41 + 7);

    assert_int_equal(CALL(cuLaunchGrid)(vadd, 4, 1), CUDA_ERROR_INVALID_VALUE); /* no parameters yet */
    assert_ok(CALL(cuFuncSetBlockShape)(vadd, 64, 1, 1));
    assert_ok(CALL(cuFuncSetSharedSize)(vadd, 1024));
    assert_ok(CALL(cuParamSetv)(vadd, 0, &a, sizeof a));
    assert_ok(CALL(cuParamSetv)(vadd, 8, &b, sizeof b));
    assert_ok(CALL(cuParamSetv)(vadd, 16, &c, sizeof c));
    assert_ok(CALL(cuParamSeti)(vadd, 24, COUNT));
    assert_ok(CALL(cuParamSetSize)(vadd, 28));
    assert_ok(CALL(cuLaunchGrid)(vadd, 4, 1));
    assert_ok(api.cuMemcpyDtoH(out, c, sizeof out));
    for (int i = 0; i < COUNT; i++)
        assert_true(out[i] == 2 * in[i]);
    assert_ok(CALL(cuLaunchGridAsync)(vadd, 4, 1, NULL));

    assert_int_equal(CALL(cuFuncSetBlockShape)(vadd, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuFuncSetBlockShape)(vadd, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuFuncSetBlockShape)(vadd, 64, 32, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuFuncSetBlockShape)(NULL, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(cuFuncSetSharedSize)(vadd, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetSize)(vadd, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSeti)(vadd, -4, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetf)(vadd, 32764, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetf)(vadd, INT32_MAX, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetv)(vadd, 4, &a, UINT32_MAX), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuLaunchGrid)(vadd, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuLaunchGrid)(vadd, 1, 65536), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuParamSetSize)(vadd, 16));
    assert_int_equal(CALL(cuLaunchGrid)(vadd, 4, 1), CUDA_ERROR_INVALID_VALUE);

    CUstream stream;
    assert_ok(api.cuStreamCreate(&stream, 0));
    CUDA_LAUNCH_PARAMS one = {.function = add_one,
                              .gridDimX = 2,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = stream};
    assert_ok(CALL(cuLaunchCooperativeKernelMultiDevice)(&one, 1, 0));
    assert_ok(api.cuMemcpyDtoH(&counted, counter, sizeof counted));
    assert_int_equal(counted, 41 + 9);
    assert_int_equal(CALL(cuLaunchCooperativeKernelMultiDevice)(&one, 2, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuLaunchCooperativeKernelMultiDevice)(NULL, 1, 0), CUDA_ERROR_INVALID_VALUE);
    one.hStream = NULL;
    assert_int_equal(CALL(cuLaunchCooperativeKernelMultiDevice)(&one, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuStreamDestroy(stream));
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
    assert_ok(api.cuMemFree(c));
    assert_ok(api.cuModuleUnload(module));
}

/* As an H200's driver answered. */
static void attached(void **state) {
    (void)state;
    CUcontext context, same;
    assert_ok(api.context_create(&context, 0, 0));
    assert_ok(CALL(cuCtxAttach)(&same, 0));
    assert_ptr_equal(same, context);
    assert_int_equal(CALL(cuCtxAttach)(&same, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuCtxAttach)(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuCtxDetach)(NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(CALL(cuCtxDetach)(api_context), CUDA_ERROR_INVALID_CONTEXT); /* not the current one */
    assert_ok(CALL(cuCtxDetach)(context));
    assert_ok(api.cuCtxSynchronize());
    assert_ok(CALL(cuCtxDetach)(context));
    assert_int_equal(CALL(cuCtxDetach)(context), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxSynchronize()); /* in the group's own */
}

static void profiler(void **state) {
    (void)state;
    CUresult (*initialize)(const char *, const char *, int) =
        (CUresult(*)(const char *, const char *, int))find("cuProfilerInitialize");
    assert_int_equal(initialize("a", "b", 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(initialize(NULL, NULL, 7), CUDA_ERROR_NOT_SUPPORTED);
}

/* As Numba's kernels meet, whose PTX leaves these functions to CUDA's device runtime. */
static const char MEETING[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
    ".extern .func (.param .b32 r) cudaCGGetSize(.param .b64 a, .param .b64 b, .param .b64 handle);\n"
    ".extern .func (.param .b32 r) cudaCGGetRank(.param .b64 a, .param .b64 b, .param .b64 handle);\n"
    ".visible .entry meet(.param .u64 out)\n{\n"
    ".reg .b64 %a<9>;\n.reg .b32 %r<9>;\n.reg .pred %p;\n"
    ".param .b32 scope;\n.param .b64 found;\n.param .b64 handle, first, second;\n.param .b32 flags, status;\n"
    "ld.param.u64 %a0, [out];\n"
    "st.param.b32 [scope], 1;\ncall (found), cudaCGGetIntrinsicHandle, (scope);\nld.param.b64 %a1, [found];\n"
    /* out[2 + rank] = 1; the threads meet; out[rank + 2 + size] = out[2 + size - 1 - rank] */
    "add.u64 %a2, %a0, 4;\nst.param.b64 [handle], %a1;\nst.param.b64 [first], %a0;\nst.param.b64 [second], "
    "%a2;\n"
    "call (status), cudaCGGetSize, (first, second, handle);\n"
    ".local .align 4 .u32 mine[2];\nmov.u64 %a3, mine;\ncvta.local.u64 %a3, %a3;\n"
    "st.param.b64 [first], %a3;\nst.param.b64 [second], 0;\n"
    "call (status), cudaCGGetRank, (first, second, handle);\n"
    "ld.u32 %r1, [%a3];\nld.u32 %r2, [%a0];\nmul.wide.u32 %a4, %r1, 4;\nadd.u64 %a4, %a4, %a0;\n"
    "add.u32 %r3, %r1, 100;\nst.global.u32 [%a4+8], %r3;\n"
    "st.param.b64 [handle], %a1;\nst.param.b32 [flags], 0;\n"
    "call (status), cudaCGSynchronize, (handle, flags);\nld.param.b32 %r4, [status];\n"
    "sub.u32 %r5, %r2, %r1;\nsub.u32 %r5, %r5, 1;\nmul.wide.u32 %a5, %r5, 4;\nadd.u64 %a5, %a5, %a0;\n"
    "ld.global.u32 %r6, [%a5+8];\nmul.wide.u32 %a6, %r2, 4;\nadd.u64 %a6, %a6, %a4;\n"
    "mad.lo.u32 %r6, %r4, 1000000, %r6;\nst.global.u32 [%a6+8], %r6;\nret;\n}\n";

static void meeting(void **state) {
    (void)state;
    enum { SIZE = 5 * 2 * 48 };
    unsigned got[2 + 2 * SIZE];
    CUmodule module;
    CUfunction meet;
    CUdeviceptr out;
    CUresult error = api.cuModuleLoadData(&module, MEETING);
    if (error)
        fail_msg("%s", api.last_error());
    assert_ok(api.cuModuleGetFunction(&meet, module, "meet"));
    assert_ok(api.cuMemAlloc(&out, sizeof got));
    assert_ok(api.cuMemsetD8(out, 0, sizeof got));
    void *params[] = {&out};
    assert_ok(api.cuLaunchCooperativeKernel(meet, 5, 2, 1, 24, 2, 1, 0, NULL, params));
    assert_ok(api.cuCtxSynchronize());
    assert_ok(api.cuMemcpyDtoH(got, out, sizeof got));
    assert_int_equal(got[0], SIZE);
    assert_int_equal(got[1], 1);
    for (unsigned i = 0; i < SIZE; i++) {
        assert_int_equal(got[2 + i], 100 + i);
        assert_int_equal(got[2 + SIZE + i], 100 + SIZE - 1 - i);
    }
    /* Not a cooperative launch: nobody waits, and the status says so. */
    assert_ok(api.cuLaunchKernel(meet, 5, 2, 1, 24, 2, 1, 0, NULL, params, NULL));
    assert_ok(api.cuMemcpyDtoH(got, out, sizeof got));
    assert_true(got[2 + SIZE] >= 1000000);
    assert_ok(api.cuMemFree(out));
    assert_ok(api.cuModuleUnload(module));
}

#if CUDA_VERSION >= 13000
static void pools(void **state) {
    (void)state;
    CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, host = {.type = CU_MEM_LOCATION_TYPE_HOST};
    CUmemLocation other = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 9},
                  none = {.type = CU_MEM_LOCATION_TYPE_NONE};
    const CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED,
                              managed = CU_MEM_ALLOCATION_TYPE_MANAGED;
    CUmemoryPool usual, pool, now;
    assert_ok(api.cuDeviceGetDefaultMemPool(&usual, 0));
    assert_ok(CALL(cuMemGetDefaultMemPool)(&pool, &device, pinned));
    assert_ptr_equal(pool, usual);
    assert_int_equal(CALL(cuMemGetDefaultMemPool)(&pool, &other, pinned), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuMemGetDefaultMemPool)(&pool, &none, pinned), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuMemGetMemPool)(NULL, &device, pinned), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuMemGetMemPool)(&pool, NULL, pinned), CUDA_ERROR_INVALID_VALUE);
    const struct {
        CUmemLocation location;
        CUmemAllocationType type;
        unsigned memory, is_managed;
    } places[] = {{device, managed, CU_MEMORYTYPE_DEVICE, 1},
                  {host, pinned, CU_MEMORYTYPE_HOST, 0},
                  {none, managed, CU_MEMORYTYPE_DEVICE, 1}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CUmemLocation location = places[i].location;
        CUdeviceptr address;
        unsigned value = 7;
        assert_ok(CALL(cuMemGetDefaultMemPool)(&pool, &location, places[i].type));
        assert_ptr_not_equal(pool, usual);
        assert_ok(CALL(cuMemGetMemPool)(&now, &location, places[i].type));
        assert_ptr_equal(now, pool);
        assert_ok(CALL(cuMemAllocFromPoolAsync)(&address, 1000, pool, NULL));
        assert_ok(CALL(cuPointerGetAttribute)(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
        assert_int_equal(value, places[i].memory);
        value = 0;
        assert_ok(CALL(cuPointerGetAttribute)(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
        assert_int_equal(value & 0xff, places[i].is_managed);
        memset((void *)(uintptr_t)address, 1, 1000); /* the host reaches all of these */
        assert_ok(api.cuMemFreeAsync(address, NULL));
        assert_int_equal(CALL(cuMemSetMemPool)(&location, places[i].type, usual), CUDA_ERROR_INVALID_VALUE);
        assert_ok(CALL(cuMemSetMemPool)(&location, places[i].type, pool));
        assert_int_equal(CALL(cuMemPoolDestroy)(pool), CUDA_ERROR_INVALID_VALUE);
    }
    CUmemPoolProps wish = {.allocType = pinned, .location = device};
    assert_ok(CALL(cuMemPoolCreate)(&pool, &wish));
    assert_ok(CALL(cuMemSetMemPool)(&device, pinned, pool));
    assert_ok(CALL(cuDeviceGetMemPool)(&now, 0));
    assert_ptr_equal(now, pool);
    assert_ok(CALL(cuMemPoolDestroy)(pool));
    assert_ok(CALL(cuMemGetMemPool)(&now, &device, pinned));
    assert_ptr_equal(now, usual);
}

static void batches(void **state) {
    (void)state;
    CUdeviceptr from, to, managed;
    CUstream stream;
    unsigned char bytes[256], back[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    assert_ok(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_ok(api.cuMemAlloc(&from, sizeof bytes));
    assert_ok(api.cuMemAlloc(&to, sizeof bytes));
    assert_ok(api.cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
    assert_ok(api.cuMemcpyHtoD(from, bytes, sizeof bytes));
    CUdeviceptr targets[] = {to + 128, to}, sources[] = {from, from + 128};
    size_t sizes[] = {128, 128}, starts[] = {0, 1};
    CUmemcpyAttributes how[2] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                                 {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY}};
    assert_ok(CALL(cuMemcpyBatchAsync)(targets, sources, sizes, 2, how, starts, 2, stream));
    assert_ok(api.cuMemcpyDtoH(back, to, sizeof back));
    assert_memory_equal(back, bytes + 128, 128);
    assert_memory_equal(back + 128, bytes, 128);
#define REFUSED(...) assert_int_equal(CALL(cuMemcpyBatchAsync)(__VA_ARGS__), CUDA_ERROR_INVALID_VALUE)
    REFUSED(targets, sources, sizes, 2, how, starts, 2, NULL);
    REFUSED(targets, sources, sizes, 0, how, starts, 1, stream);
    REFUSED(targets, sources, sizes, 2, how, starts, 0, stream);
    REFUSED(targets, sources, sizes, 2, how, starts, 3, stream);
    REFUSED(targets, sources, sizes, 2, how, starts + 1, 1, stream);
    REFUSED(NULL, sources, sizes, 2, how, starts, 2, stream);
    sizes[1] = 0;
    REFUSED(targets, sources, sizes, 2, how, starts, 2, stream);
    sizes[1] = 128;
    how[1].srcAccessOrder = (CUmemcpySrcAccessOrder)4;
    REFUSED(targets, sources, sizes, 2, how, starts, 2, stream);
#undef REFUSED
    /* 4 x 3 x 2 bytes of rows of 16 and layers of 4 rows. */
    CUDA_MEMCPY3D_BATCH_OP box = {
        .src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                .op.ptr = {.ptr = from, .rowLength = 16, .layerHeight = 4}},
        .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = {.ptr = to}},
        .extent = {4, 3, 2},
        .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };
    assert_ok(CALL(cuMemcpy3DBatchAsync)(1, &box, 0, stream));
    assert_ok(api.cuMemcpyDtoH(back, to, sizeof back));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            assert_memory_equal(back + 12 * z + 4 * y, bytes + 64 * z + 16 * y, 4);
    box.extent.depth = 0;
    assert_int_equal(CALL(cuMemcpy3DBatchAsync)(1, &box, 0, stream), CUDA_ERROR_INVALID_VALUE);
    box.extent.depth = 2;
    box.src.op.ptr.rowLength = 3;
    assert_int_equal(CALL(cuMemcpy3DBatchAsync)(1, &box, 0, stream), CUDA_ERROR_INVALID_VALUE);
    box.src.op.ptr.rowLength = 1000;
    assert_int_equal(CALL(cuMemcpy3DBatchAsync)(1, &box, 0, stream), CUDA_ERROR_INVALID_VALUE);

    CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    size_t all = 8192, first = 0;
    assert_ok(CALL(cuMemPrefetchBatchAsync)(&managed, &all, 1, &device, &first, 1, 0, stream));
    assert_ok(CALL(cuMemDiscardBatchAsync)(&managed, &all, 1, 0, stream));
    assert_ok(CALL(cuMemDiscardAndPrefetchBatchAsync)(&managed, &all, 1, &device, &first, 1, 0, stream));
    assert_int_equal(CALL(cuMemDiscardBatchAsync)(&managed, &all, 1, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuMemDiscardBatchAsync)(&managed, &all, 1, 1, stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuMemDiscardBatchAsync)(&to, sizes, 1, 0, stream), CUDA_ERROR_INVALID_VALUE);
    all = 8193;
    assert_int_equal(CALL(cuMemDiscardBatchAsync)(&managed, &all, 1, 0, stream), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(from));
    assert_ok(api.cuMemFree(to));
    assert_ok(api.cuMemFree(managed));
    assert_ok(api.cuStreamDestroy(stream));
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches),
        cmocka_unit_test(attached),
        cmocka_unit_test(profiler),
        cmocka_unit_test(meeting),
#if CUDA_VERSION >= 13000
        cmocka_unit_test(pools),
        cmocka_unit_test(batches),
#endif
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
