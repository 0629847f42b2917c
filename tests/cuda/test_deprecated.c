/* Functions that cuda.h still declares: launches from before CUDA 4, attached contexts, and CUDA 13's pools
 * and batches. */
#include <dlfcn.h>
#include <stdint.h>

#include "tests/cuda/api.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define STRING(name) #name
/* Finds a function by the name that cuda.h's macros give it. */
#define CALL(name) ((__typeof__(name) *)find(STRING(name)))

static void *find(const char *name) {
    void *function = dlsym(api.library, name);
    if (!function)
        fail_msg("%s is not there", name);
    return function;
}

/* The last accepted value, and the first refused one. */
static void launch_edges(void **state) {
    (void)state;
    const CUresult INVALID = CUDA_ERROR_INVALID_VALUE;
    enum { PARAMETERS = 32764, SHARED = 227 << 10 };
    static const struct {
        int x, y, z;
        bool fits;
    } blocks[] = {{1, 1, 64, true},           {1024, 1, 1, true},
                  {1, 1024, 1, true},         {32, 32, 1, true},
                  {1, 1, 65, false},          {1025, 1, 1, false},
                  {1, 1025, 1, false},        {25, 41, 1, false},
                  {16, 2, 64, false},         {64, 32, 1, false},
                  {0, 1, 1, false},           {1, 0, 1, false},
                  {1, 1, 0, false},           {-1, 1, 1, false},
                  {1, -1, 1, false},          {1, 1, -1, false},
                  {-1, -1, 1, false},         {-1, 1, -1, false},
                  {1, -1, -1, false},         {1 << 16, 1024, 64, false},
                  {1024, 1 << 16, 64, false}, {1024, 1024, 1 << 12, false}};
    static unsigned char zeros[PARAMETERS + 1];
    CUmodule module;
    CUfunction function;
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&function, module, "no_parameters"));
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (CALL(cuFuncSetBlockShape)(function, blocks[i].x, blocks[i].y, blocks[i].z) !=
            (blocks[i].fits ? CUDA_SUCCESS : INVALID))
            fail_msg("%d %d %d", blocks[i].x, blocks[i].y, blocks[i].z);
    for (int over = 0; over <= 1; over++) {
        const CUresult right = over ? INVALID : CUDA_SUCCESS;
        const unsigned more = (unsigned)over;
        assert_int_equal(CALL(cuFuncSetSharedSize)(function, SHARED + more), right);
        assert_int_equal(CALL(cuParamSetSize)(function, PARAMETERS + more), right);
        assert_int_equal(CALL(cuParamSetv)(function, 0, zeros, PARAMETERS + more), right);
        assert_int_equal(CALL(cuParamSetv)(function, PARAMETERS - 4, zeros, 4 + more), right);
        assert_int_equal(CALL(cuParamSetv)(function, PARAMETERS + over, zeros, 0), right);
        assert_int_equal(CALL(cuParamSetv)(function, -over, zeros, 1), right);
    }
    assert_ok(api.cuModuleUnload(module));
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

    assert_ok(CALL(cuLaunch)(add_one)); /* by default one block of one thread */
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

    /* A block with three different sizes. */
    assert_ok(CALL(cuFuncSetBlockShape)(add_one, 2, 3, 5));
    assert_ok(CALL(cuLaunch)(add_one));
    assert_ok(api.cuMemcpyDtoH(&counted, counter, sizeof counted));
    assert_int_equal(counted, 41 + 7 + 30);
    assert_ok(CALL(cuFuncSetBlockShape)(add_one, 1, 1, 1));

    assert_int_equal(CALL(cuFuncSetBlockShape)(NULL, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(cuFuncSetSharedSize)(vadd, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetSize)(vadd, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSeti)(vadd, -4, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetf)(vadd, 32764, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetf)(vadd, INT32_MAX, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(cuParamSetv)(vadd, 4, &a, UINT32_MAX), CUDA_ERROR_INVALID_VALUE);
    for (int bad = -1; bad <= 0; bad++) {
        assert_int_equal(CALL(cuLaunchGrid)(vadd, bad, 1), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(CALL(cuLaunchGrid)(vadd, 1, bad), CUDA_ERROR_INVALID_VALUE);
    }
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
    assert_int_equal(counted, 41 + 9 + 30);
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

/* The answers are those of an H200's driver. */
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
    assert_ok(api.cuCtxSynchronize()); /* in the group's own context */
}

static void profiler(void **state) {
    (void)state;
    CUresult (*initialize)(const char *, const char *, int) =
        (CUresult(*)(const char *, const char *, int))find("cuProfilerInitialize");
    assert_int_equal(initialize("a", "b", 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(initialize(NULL, NULL, 7), CUDA_ERROR_NOT_SUPPORTED);
}

/* A grid barrier as in Numba's kernels, whose PTX leaves these functions to CUDA's device runtime. */
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
    /* out[2 + rank] = 1; barrier; out[rank + 2 + size] = out[2 + size - 1 - rank] */
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
    /* Not a cooperative launch: nobody waits, and the status reports it. */
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
        memset((void *)(uintptr_t)address, 1, 1000); /* the host can access all of these */
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

/* The first indices of a batch of two or three begin with 0 and ascend. */
static void batch_starts(void **state) {
    (void)state;
    static const struct {
        size_t count, number, starts[3];
        bool good;
    } cases[] = {{2, 1, {0}, true},        {2, 2, {0, 1}, true},    {3, 2, {0, 2}, true},
                 {3, 3, {0, 1, 2}, true},  {2, 1, {1}, false},      {2, 2, {0, 0}, false},
                 {2, 2, {0, 2}, false},    {2, 2, {0, 3}, false},   {3, 3, {0, 2, 1}, false},
                 {2, 3, {0, 1, 2}, false}, {3, 3, {0, 1, 1}, false}};
    CUdeviceptr memory;
    CUstream stream;
    assert_ok(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_ok(api.cuMemAlloc(&memory, 24));
    CUdeviceptr targets[] = {memory, memory + 4, memory + 8},
                sources[] = {memory + 12, memory + 16, memory + 20};
    size_t sizes[] = {4, 4, 4};
    CUmemcpyAttributes how[3];
    memset(how, 0, sizeof how);
    for (int i = 0; i < 3; i++)
        how[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t starts[3];
        memcpy(starts, cases[i].starts, sizeof starts);
        const CUresult result = CALL(cuMemcpyBatchAsync)(targets, sources, sizes, cases[i].count, how, starts,
                                                         cases[i].number, stream);
        if (result != (cases[i].good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE))
            fail_msg("case %zu: %d", i, result);
    }
    assert_ok(api.cuMemFree(memory));
    assert_ok(api.cuStreamDestroy(stream));
}

static CUmemcpy3DOperand flat(CUdeviceptr memory, size_t row, size_t layer) {
    CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER};
    operand.op.ptr.ptr = memory;
    operand.op.ptr.rowLength = row;
    operand.op.ptr.layerHeight = layer;
    return operand;
}

static CUmemcpy3DOperand within(CUarray array, size_t x) {
    CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};
    operand.op.array.array = array;
    operand.op.array.offset.x = x;
    return operand;
}

static CUarray array_of(CUarray_format format, size_t width, size_t height) {
    CUarray array;
    const CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = width, .Height = height, .Format = format, .NumChannels = 1};
    assert_ok(api.cuArrayCreate(&array, &shape));
    return array;
}

/* A single box, whose operands are arrays and memory of 4-byte elements. */
static void batch_boxes(void **state) {
    (void)state;
    const CUresult INVALID = CUDA_ERROR_INVALID_VALUE;
    CUarray words = array_of(CU_AD_FORMAT_UNSIGNED_INT32, 8, 2), same = array_of(CU_AD_FORMAT_FLOAT, 8, 2);
    CUarray bytes = array_of(CU_AD_FORMAT_UNSIGNED_INT8, 8, 2);
    unsigned in[8], out[8];
    CUdeviceptr memory;
    CUstream stream;
    for (unsigned i = 0; i < 8; i++)
        in[i] = 0x01020304 * (i + 1);
    assert_ok(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_ok(api.cuMemAlloc(&memory, sizeof in));
    assert_ok(api.cuMemcpyHtoD(memory, in, sizeof in));
    CUDA_MEMCPY3D_BATCH_OP box = {.extent = {4, 2, 1}, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
#define BOX(from, to) (box.src = (from), box.dst = (to), CALL(cuMemcpy3DBatchAsync)(1, &box, 0, stream))
    /* To one array, to another, and back, each from another place. */
    assert_ok(BOX(flat(memory, 4, 2), within(words, 1)));
    assert_ok(BOX(within(words, 1), within(same, 4)));
    assert_ok(api.cuMemsetD8(memory, 0, sizeof in));
    assert_ok(BOX(within(same, 4), flat(memory, 0, 0)));
    assert_ok(api.cuMemcpyDtoH(out, memory, sizeof out));
    assert_memory_equal(out, in, sizeof in);

    const CUmemcpy3DOperand good = flat(memory, 0, 0);
    assert_int_equal(BOX(within(words, 5), good), INVALID);
    assert_int_equal(BOX(within(words, SIZE_MAX / 4 + 1), good), INVALID); /* 2^64 bytes wrap to 0 */
    assert_int_equal(BOX(flat(memory, SIZE_MAX / 4 + 5, 0), within(words, 0)), INVALID);
    assert_int_equal(BOX(flat(memory, 3, 0), within(words, 0)), INVALID);
    assert_int_equal(BOX(flat(memory, 0, 1), within(words, 0)), INVALID);
    assert_int_equal(BOX(flat(0, 0, 0), within(words, 0)), INVALID);
    assert_int_equal(BOX(within(words, 0), within(bytes, 0)), INVALID);
    assert_int_equal(BOX(within(bytes, 0), within(words, 0)), INVALID);
    CUmemcpy3DOperand bad = good;
    bad.type = (CUmemcpy3DOperandType)99;
    assert_int_equal(BOX(bad, good), INVALID);
    assert_int_equal(BOX(good, bad), INVALID);
    assert_int_equal(BOX(bad, within(words, 0)), INVALID);
    assert_int_equal(BOX(within(words, 0), bad), INVALID);
    for (int order = -1; order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY + 1; order++) {
        box.srcAccessOrder = (CUmemcpySrcAccessOrder)order;
        assert_int_equal(BOX(within(words, 0), good),
                         order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY
                             ? CUDA_SUCCESS
                             : INVALID);
    }
    box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    for (int none = 0; none < 3; none++) {
        box.extent = (CUextent3D){none != 0, none != 1, none != 2};
        assert_int_equal(BOX(within(words, 0), good), INVALID);
    }
    box.extent = (CUextent3D){SIZE_MAX / 4 + 2, 1, 1};
    assert_int_equal(BOX(within(words, 0), good), INVALID);
#undef BOX
    assert_ok(api.cuMemFree(memory));
    assert_ok(api.cuArrayDestroy(words));
    assert_ok(api.cuArrayDestroy(same));
    assert_ok(api.cuArrayDestroy(bytes));
    assert_ok(api.cuStreamDestroy(stream));
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
        cmocka_unit_test(launch_edges),
        cmocka_unit_test(attached),
        cmocka_unit_test(profiler),
        cmocka_unit_test(meeting),
#if CUDA_VERSION >= 13000
        cmocka_unit_test(pools),
        cmocka_unit_test(batches),
        cmocka_unit_test(batch_starts),
        cmocka_unit_test(batch_boxes),
#endif
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
