/* The last allowed value of an argument, and the first that is refused. */
#include "tests/cuda/api.h"

static const CUresult INVALID = CUDA_ERROR_INVALID_VALUE;

static CUfunction kernel(const char *name) {
    static CUmodule module;
    CUfunction function;
    if (!module)
        assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&function, module, name));
    return function;
}

/* Whether a stream that waits for a value in memory continues; the comparison is cyclic. */
static void waits(void **state) {
    (void)state;
    static const struct {
        uint64_t found, value;
        bool narrow, wide; /* whether the value is reached with 32 and 64 bits */
    } cases[] = {
        {5, 5, true, true},
        {5, 4, true, true},
        {5, 6, false, false},
        {0, 0, true, true},
        {0, UINT64_MAX, true, true},
        {2, UINT32_MAX, true, false},
        {UINT32_MAX, 2, false, true},
        {UINT64_MAX, 2, false, false},
        {3, 2, true, true},
        {0x80000000, 1, true, true},
        {0x80000000, 0, false, true},
        {UINT64_C(1) << 63, 1, false, true},
        {UINT64_C(1) << 63, 0, true, false},
        {UINT64_C(1) << 32, 1, false, true},
    };
    CUdeviceptr memory;
    assert_ok(api.cuMemAlloc(&memory, 8));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(api.cuStreamWriteValue64(NULL, memory, cases[i].found, 0));
        assert_int_equal(api.cuStreamWaitValue64(NULL, memory, cases[i].value, CU_STREAM_WAIT_VALUE_GEQ),
                         cases[i].wide ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
        assert_int_equal(
            api.cuStreamWaitValue32(NULL, memory, (uint32_t)cases[i].value, CU_STREAM_WAIT_VALUE_GEQ),
            cases[i].narrow ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
    }
    assert_ok(api.cuMemFree(memory));
}

/* Up to 256 operations on memory at once. */
static void batches(void **state) {
    (void)state;
    static CUstreamBatchMemOpParams all[257];
    CUdeviceptr memory;
    assert_ok(api.cuMemAlloc(&memory, 4));
    for (size_t i = 0; i < 257; i++)
        all[i].writeValue = (__typeof__(all[i].writeValue)){
            .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = memory, .value = (uint32_t)i};
    assert_ok(api.cuStreamBatchMemOp(NULL, 256, all, 0));
    uint32_t last = 0;
    assert_ok(api.cuMemcpyDtoH(&last, memory, 4));
    assert_int_equal(last, 255);
    assert_int_equal(api.cuStreamBatchMemOp(NULL, 257, all, 0), INVALID);
    assert_int_equal(api.cuStreamBatchMemOp(NULL, 0, all, 0), INVALID);
    assert_int_equal(api.cuStreamBatchMemOp(NULL, 1, NULL, 0), INVALID);
    assert_int_equal(api.cuStreamBatchMemOp(NULL, 1, all, 1), INVALID);
    assert_ok(api.cuMemFree(memory));
}

static CUresult texture(const CUDA_RESOURCE_DESC *resource) {
    static const CUDA_TEXTURE_DESC description = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject object;
    const CUresult error = api.cuTexObjectCreate(&object, resource, &description, NULL);
    if (!error)
        assert_ok(api.cuTexObjectDestroy(object));
    return error;
}

static CUresult linear(CUdeviceptr memory, CUarray_format format, size_t bytes) {
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = format;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = bytes;
    return texture(&resource);
}

static CUresult pitched(CUdeviceptr memory, CUarray_format format, size_t width, size_t height,
                        size_t pitch) {
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.format = format;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return texture(&resource);
}

/* The largest textures in the CUDA programming guide, and none larger.  Their memory is never touched. */
static void textures(void **state) {
    (void)state;
    const CUarray_format byte = CU_AD_FORMAT_UNSIGNED_INT8, word = CU_AD_FORMAT_SIGNED_INT32;
    const size_t texels = (size_t)1 << 28, width = 131072, height = 65000;
    CUdeviceptr memory;
    assert_ok(api.cuMemAllocManaged(&memory, texels + 1, CU_MEM_ATTACH_GLOBAL));
    assert_ok(linear(memory, byte, texels));
    assert_int_equal(linear(memory, byte, texels + 1), INVALID);
    assert_ok(linear(memory, word, 4));
    assert_int_equal(linear(memory, word, 3), INVALID);
    assert_ok(linear(memory + 512, word, 4));
    assert_int_equal(linear(memory + 256, word, 4), INVALID);
    assert_int_equal(linear(memory, 99, 4), INVALID);

    assert_ok(pitched(memory, byte, width, 1, width));
    assert_int_equal(pitched(memory, byte, width + 1, 1, width + 32), INVALID);
    assert_ok(pitched(memory, byte, 1, height, 32));
    assert_int_equal(pitched(memory, byte, 1, height + 1, 32), INVALID);
    assert_ok(pitched(memory, byte, 1, 1, 0x7fffffe0));
    assert_int_equal(pitched(memory, byte, 1, 1, 0x80000000), INVALID);
    assert_int_equal(pitched(memory, byte, 0, 1, 32), INVALID);
    assert_int_equal(pitched(memory, byte, 1, 0, 32), INVALID);
    assert_int_equal(pitched(memory, 99, 1, 1, 32), INVALID);
    /* Rows begin at multiples of 32 bytes, and do not overlap. */
    assert_int_equal(pitched(memory, byte, 17, 2, 40), INVALID);
    assert_ok(pitched(memory, byte, 32, 2, 32));
    assert_int_equal(pitched(memory, byte, 33, 2, 32), INVALID);
    assert_ok(pitched(memory, word, 32, 2, 128));
    assert_int_equal(pitched(memory, word, 33, 2, 128), INVALID);
    assert_int_equal(pitched(memory, word, 64, 2, 128), INVALID);
    assert_ok(pitched(memory + 512, byte, 1, 1, 32));
    assert_int_equal(pitched(memory + 256, byte, 1, 1, 32), INVALID);
    assert_ok(api.cuMemFree(memory));
}

static CUresult address_mode(int which, unsigned mode) {
    CUdeviceptr memory;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC description = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject object;
    assert_ok(api.cuMemAlloc(&memory, 512));
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 512;
    if (which < 3)
        description.addressMode[which] = (CUaddress_mode)mode;
    else
        description.filterMode = (CUfilter_mode)mode;
    const CUresult error = api.cuTexObjectCreate(&object, &resource, &description, NULL);
    if (!error)
        assert_ok(api.cuTexObjectDestroy(object));
    assert_ok(api.cuMemFree(memory));
    return error;
}

static void texture_modes(void **state) {
    (void)state;
    for (int which = 0; which <= 3; which++) {
        const unsigned last = which < 3 ? CU_TR_ADDRESS_MODE_BORDER : CU_TR_FILTER_MODE_LINEAR;
        for (unsigned mode = 0; mode <= last; mode++)
            assert_ok(address_mode(which, mode));
        assert_int_equal(address_mode(which, last + 1), INVALID);
    }
}

/* Rows of a fill are at most 2^31 - 1 bytes apart. */
static void fills(void **state) {
    (void)state;
    const size_t most = 0x7fffffff;
    CUdeviceptr memory;
    assert_ok(api.cuMemAllocManaged(&memory, most + 2, CU_MEM_ATTACH_GLOBAL));
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)memory;
    assert_ok(api.cuMemsetD2D8(memory, most, 7, 1, 2));
    assert_int_equal(bytes[0], 7);
    assert_int_equal(bytes[most], 7);
    assert_int_equal(bytes[most + 1], 0);
    assert_int_equal(api.cuMemsetD2D8(memory, most + 1, 8, 1, 2), INVALID);
    assert_int_equal(bytes[0], 7);
    /* The pitch of a single row is ignored. */
    assert_ok(api.cuMemsetD2D8(memory, most + 1, 8, 1, 1));
    assert_ok(api.cuMemsetD2D16(memory, 3, 9, 1, 1));
    assert_int_equal(api.cuMemsetD2D16(memory, 3, 9, 1, 2), INVALID);
    assert_ok(api.cuMemsetD2D16(memory, 2, 9, 1, 2));
    assert_int_equal(bytes[2], 9);
    assert_int_equal(bytes[4], 0);
    /* Enough rows that their byte count slightly exceeds 2^64. */
    assert_int_equal(api.cuMemsetD2D8(memory, 128, 0, 1, ((size_t)1 << 57) + 1), INVALID);
    assert_int_equal(api.cuMemsetD2D8(memory, 1, 0, 1, SIZE_MAX), INVALID);
    assert_int_equal(bytes[2], 9);
    assert_ok(api.cuMemFree(memory));
    size_t pitch;
    assert_ok(api.cuMemAllocPitch(&memory, &pitch, most, 1, 4));
    assert_true(pitch == most + 1);
    assert_ok(api.cuMemFree(memory));
    assert_int_equal(api.cuMemAllocPitch(&memory, &pitch, most + 1, 1, 4), INVALID);
}

/* Checks a launch's shape with a graph node that is never run. */
static CUresult shaped(const char *name, const unsigned grid[3], const unsigned block[3]) {
    CUgraph graph;
    CUgraphNode node;
    void *params[] = {&(CUdeviceptr){0}, &(int){0}, &(CUdeviceptr){0}, &(int){0}};
    const CUDA_KERNEL_NODE_PARAMS what = {.func = kernel(name),
                                          .gridDimX = grid[0],
                                          .gridDimY = grid[1],
                                          .gridDimZ = grid[2],
                                          .blockDimX = block[0],
                                          .blockDimY = block[1],
                                          .blockDimZ = block[2],
                                          .kernelParams = params};
    assert_ok(api.cuGraphCreate(&graph, 0));
    const CUresult error = api.cuGraphAddKernelNode(&node, graph, NULL, 0, &what);
    assert_ok(api.cuGraphDestroy(graph));
    return error;
}

static CUresult launched(const char *name, unsigned grid, unsigned block, int dimension) {
    unsigned grids[3] = {1, 1, 1}, blocks[3] = {1, 1, 1};
    grids[dimension] = grid;
    blocks[dimension] = block;
    return shaped(name, grids, blocks);
}

static void shapes(void **state) {
    (void)state;
    static const unsigned grids[] = {0x7fffffff, 65535, 65535}, blocks[] = {1024, 1024, 64};
    for (int i = 0; i < 3; i++) {
        assert_ok(launched("store_at", grids[i], 1, i));
        assert_int_equal(launched("store_at", grids[i] + 1, 1, i), INVALID);
        assert_int_equal(launched("store_at", 0, 1, i), INVALID);
        assert_ok(launched("store_at", 1, blocks[i], i));
        assert_int_equal(launched("store_at", 1, blocks[i] + 1, i), INVALID);
        assert_int_equal(launched("store_at", 1, 0, i), INVALID);
        assert_ok(launched("bounded", 1, 64, i));
        assert_int_equal(launched("bounded", 1, 65, i), INVALID);
    }
    /* Products, some of which slightly exceed 2^64. */
    static const struct {
        unsigned block[3];
        bool fits;
    } products[] = {
        {{32, 32, 1}, true},
        {{33, 32, 1}, false},
        {{16, 1, 64}, true},
        {{17, 1, 64}, false},
        {{2, 8, 64}, true},
        {{5, 5, 41}, false},
        {{1u << 31, 1u << 31, 4}, false},
        {{1u << 31, 1u << 28, 32}, false},
        {{UINT32_MAX, UINT32_MAX, 64}, false},
        {{1u << 26, 1, 64}, false},
        {{1, 1u << 31, 2}, false},
        {{1, 1, UINT32_MAX}, false},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        assert_int_equal(shaped("store_at", (const unsigned[]){1, 1, 1}, products[i].block),
                         products[i].fits ? CUDA_SUCCESS : INVALID);
}

/* Packed parameters must be complete. */
static void packed_parameters(void **state) {
    (void)state;
    const struct {
        CUdeviceptr to;
        int value;
    } values = {0, 1};
    const size_t all = sizeof values.to + sizeof values.value;
    CUgraph graph;
    assert_ok(api.cuGraphCreate(&graph, 0));
    for (size_t size = 0; size <= all + 1; size++) {
        CUgraphNode node;
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)&values, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                         CU_LAUNCH_PARAM_END};
        const CUDA_KERNEL_NODE_PARAMS what = {.func = kernel("store_at"),
                                              .gridDimX = 1,
                                              .gridDimY = 1,
                                              .gridDimZ = 1,
                                              .blockDimX = 1,
                                              .blockDimY = 1,
                                              .blockDimZ = 1,
                                              .extra = extra};
        assert_int_equal(api.cuGraphAddKernelNode(&node, graph, NULL, 0, &what),
                         size < all ? INVALID : CUDA_SUCCESS);
    }
    assert_ok(api.cuGraphDestroy(graph));
}

/* A block's shared memory is the kernel's own 1 KiB plus the launch's dynamic part, 227 KiB in all. */
static void shared_memory(void **state) {
    (void)state;
    const CUfunction function = kernel("static_shared");
    const CUfunction_attribute most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUdeviceptr memory;
    assert_ok(api.cuMemAlloc(&memory, 1024));
    void *params[] = {&memory};
    const unsigned allowed[] = {0, 47 << 10, 100 << 10, 226 << 10};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        if (i)
            assert_ok(api.cuFuncSetAttribute(function, most, (int)allowed[i]));
        const unsigned last = i ? allowed[i] : 47 << 10;
        assert_ok(api.cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, last, NULL, params, NULL));
        assert_int_equal(api.cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, last + 1, NULL, params, NULL),
                         INVALID);
    }
    assert_int_equal(api.cuFuncSetAttribute(function, most, (226 << 10) + 1), INVALID);
    assert_int_equal(api.cuFuncSetAttribute(function, most, -1), INVALID);
    assert_ok(api.cuCtxSynchronize());
    assert_ok(api.cuMemFree(memory));
}

static void context_limits(void **state) {
    (void)state;
    const size_t l2 = (size_t)(60 << 20) / 8 * 5;
    size_t value;
    for (size_t over = 0; over <= 2; over++) {
        const size_t wanted = over ? l2 + over - 1 : l2 - 1;
        assert_ok(api.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, wanted));
        assert_ok(api.cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
        assert_int_equal(value, wanted < l2 ? wanted : l2);
    }
    assert_ok(api.cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128));
    assert_int_equal(api.cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129), INVALID);
    for (unsigned i = 0; i <= CU_LIMIT_MAX; i++) {
        const bool graphics = i == 7 || i == 8;
        const CUresult wanted = i == CU_LIMIT_MAX                      ? INVALID
                                : i == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                : i > CU_LIMIT_PERSISTING_L2_CACHE_SIZE && !graphics
                                    ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                    : CUDA_SUCCESS;
        value = 99;
        assert_int_equal(api.cuCtxGetLimit(&value, (CUlimit)i), wanted);
        assert_int_equal(api.cuCtxSetLimit((CUlimit)i, value), graphics ? CUDA_ERROR_NOT_PERMITTED : wanted);
    }
    for (unsigned i = 0; i <= CU_FUNC_CACHE_PREFER_EQUAL; i++)
        assert_ok(api.cuCtxSetCacheConfig((CUfunc_cache)i));
    assert_int_equal(api.cuCtxSetCacheConfig((CUfunc_cache)(CU_FUNC_CACHE_PREFER_EQUAL + 1)), INVALID);
    assert_ok(api.cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_NONE));
    for (unsigned i = 0; i <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE + 1; i++)
        assert_int_equal(api.cuCtxSetSharedMemConfig((CUsharedconfig)i),
                         i <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_SUCCESS : INVALID);
}

/* A kernel with 37 KiB of shared memory: with the reserved part, six blocks use all of a multiprocessor's. */
static CUfunction full_kernel(CUmodule *module) {
    CUfunction function;
    assert_ok(api.cuModuleLoadData(module, ".version 7.0\n.target sm_75\n.address_size 64\n"
                                           ".visible .entry full() { .shared .b8 s[37888]; ret; }"));
    assert_ok(api.cuModuleGetFunction(&function, *module, "full"));
    return function;
}

/* An image that is not machine code but begins almost like it is treated as bad PTX. */
static void machine_code(void **state) {
    (void)state;
    CUmodule module;
    const CUresult refused = api.cuModuleLoadData(&module, "\177ELF, as it were");
    assert_int_not_equal(refused, CUDA_SUCCESS);
    assert_int_not_equal(api.cuModuleLoadData(&module, "\177ELK, as it were"), refused);
}

static int blocks_of(CUfunction function, int threads, size_t dynamic) {
    int blocks = -1;
    assert_ok(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, dynamic));
    return blocks;
}

static void occupancy(void **state) {
    (void)state;
    const CUfunction function = kernel("vadd");
    int blocks;
    assert_int_equal(blocks_of(function, 1, 0), 32);
    assert_int_equal(blocks_of(function, 1024, 0), 2);
    assert_int_equal(blocks_of(function, 1025, 0), 0);
    assert_int_equal(blocks_of(function, 1023, 0), 2);
    assert_int_equal(blocks_of(function, 64, 0), 32);
    assert_int_equal(blocks_of(function, 65, 0), 21);
    assert_int_equal(blocks_of(function, 1, 48 << 10), 4);
    assert_int_equal(blocks_of(function, 1, (48 << 10) + 1), 0);
    static const int bad[] = {0, -1, INT32_MIN};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, bad[i], 0),
                         INVALID);
    assert_int_equal(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, function, 1, 0), INVALID);
    for (unsigned flags = 0; flags <= 2; flags++)
        assert_int_equal(
            api.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 32, 0, flags),
            flags < 2 ? CUDA_SUCCESS : INVALID);
}

static size_t CUDA_CB bytes_for(int threads) {
    return (size_t)threads << 7;
}

static void best_blocks(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int limit, block, blocks;
    } cases[] = {
        {"vadd", 0, 1024, 2},    {"vadd", 1024, 1024, 2}, {"vadd", 2000, 1024, 2}, {"vadd", 1023, 512, 4},
        {"vadd", 200, 128, 16},  {"vadd", 100, 64, 32},   {"vadd", 63, 63, 32},    {"vadd", 33, 33, 32},
        {"vadd", 32, 32, 32},    {"vadd", 31, 31, 32},    {"vadd", 1, 1, 32},      {"bounded", 0, 64, 32},
        {"bounded", 65, 64, 32},
    };
    int grid, block;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(api.cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel(cases[i].name), NULL, 0,
                                                       cases[i].limit));
        assert_int_equal(block, cases[i].block);
        assert_int_equal(grid, cases[i].blocks * 132);
    }
    const CUfunction function = kernel("vadd");
    /* 48 KiB of shared memory suffice for 384 threads, 228 KiB for five blocks of 352. */
    assert_ok(api.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, bytes_for, 0, 0));
    assert_int_equal(block, 352);
    assert_int_equal(grid, 5 * 132);
    assert_int_equal(api.cuOccupancyMaxPotentialBlockSize(NULL, &block, function, NULL, 0, 0), INVALID);
    assert_int_equal(api.cuOccupancyMaxPotentialBlockSize(&grid, NULL, function, NULL, 0, 0), INVALID);
    assert_int_equal(api.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, -1), INVALID);
    for (unsigned flags = 0; flags <= 2; flags++)
        assert_int_equal(
            api.cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, NULL, 0, 0, flags),
            flags < 2 ? CUDA_SUCCESS : INVALID);
    /* A best block size also exists for one thread and one block. */
    CUmodule module;
    const CUfunction full = full_kernel(&module);
    assert_ok(
        api.cuFuncSetAttribute(full, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (227 - 37) << 10));
    assert_ok(api.cuOccupancyMaxPotentialBlockSize(&grid, &block, full, NULL, (227 - 37) << 10, 1));
    assert_int_equal(block, 1);
    assert_int_equal(grid, 132);
    assert_ok(api.cuModuleUnload(module));
}

static void shared_left(void **state) {
    (void)state;
    const CUfunction function = kernel("vadd"), tiled = kernel("static_shared");
    size_t bytes;
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 32, 64));
    assert_int_equal(bytes, 228 * 1024 / 32);
    assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 33, 64), INVALID);
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, tiled, 21, 96));
    assert_int_equal(bytes, 228 * 1024 / 21 / 128 * 128 - 1024);
    assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, tiled, 22, 96), INVALID);
    assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(NULL, function, 1, 1), INVALID);
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 1));
    for (int bad = -1; bad <= 0; bad++) {
        assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, bad, 1), INVALID);
        assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, bad), INVALID);
    }
    assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 1025), INVALID);
    CUmodule module;
    const CUfunction full = full_kernel(&module);
    assert_ok(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, full, 6, 32));
    assert_int_equal(bytes, 1024);
    assert_int_equal(api.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, full, 7, 32), INVALID);
    assert_ok(api.cuModuleUnload(module));
}

static void functions(void **state) {
    (void)state;
    const CUfunction function = kernel("vadd");
    for (int bytes = -1; bytes <= 1; bytes++)
        assert_int_equal(
            api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes),
            bytes < 0 ? INVALID : CUDA_SUCCESS);
    assert_ok(api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 << 10));
    for (int width = -1; width <= 0; width++)
        assert_int_equal(api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, width),
                         width < 0 ? INVALID : CUDA_SUCCESS);
    for (int i = -1; i <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE + 2; i++)
        assert_int_equal(api.cuFuncSetSharedMemConfig(function, (CUsharedconfig)i),
                         i >= 0 && i <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_SUCCESS : INVALID);
}

/* vadd has three pointers and an int, as a function and as a library's kernel. */
static void parameters(void **state) {
    (void)state;
    const CUfunction function = kernel("vadd");
    CUlibrary library;
    CUkernel from_library;
    assert_ok(api.cuLibraryLoadFromFile(&library, api_path("default.fatbin"), NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(api.cuLibraryGetKernel(&from_library, library, "vadd"));
    for (size_t i = 0; i < 6; i++) {
        size_t offset = 99, size = 99;
        const CUresult right = i < 4 ? CUDA_SUCCESS : INVALID;
        assert_int_equal(api.cuFuncGetParamInfo(function, i, &offset, &size), right);
        assert_int_equal(offset, i < 4 ? 8 * i : 99);
        assert_int_equal(size, i < 3 ? 8 : i == 3 ? 4 : 99);
        assert_int_equal(api.cuFuncGetParamInfo(function, i, &offset, NULL), right);
        assert_int_equal(api.cuFuncGetParamInfo(function, i, NULL, &size), INVALID);
        offset = size = 99;
        assert_int_equal(api.cuKernelGetParamInfo(from_library, i, &offset, &size), right);
        assert_int_equal(offset, i < 4 ? 8 * i : 99);
        assert_int_equal(size, i < 3 ? 8 : i == 3 ? 4 : 99);
        assert_int_equal(api.cuKernelGetParamInfo(from_library, i, NULL, &size), INVALID);
    }
    assert_ok(api.cuLibraryUnload(library));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),     cmocka_unit_test(parameters),
        cmocka_unit_test(machine_code),  cmocka_unit_test(waits),
        cmocka_unit_test(batches),       cmocka_unit_test(textures),
        cmocka_unit_test(texture_modes), cmocka_unit_test(fills),
        cmocka_unit_test(shapes),        cmocka_unit_test(context_limits),
        cmocka_unit_test(occupancy),     cmocka_unit_test(best_blocks),
        cmocka_unit_test(shared_left),   cmocka_unit_test(packed_parameters),
        cmocka_unit_test(shared_memory),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
