/* Several devices: pools that others reach, and copies between devices. */
#include "tests/cuda/devices.h"

enum { WORDS = 1000 };

/* ---------------------------------------------------------------- pools */

static CUmemAccessDesc access_for(int device, CUmemAccess_flags flags) {
    return (CUmemAccessDesc){.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}, .flags = flags};
}

static void pools(void **state) {
    (void)state;
    static const char refusal[] = "in memory of device 1, to which device 0 has no access: call "
                                  "cuMemPoolSetAccess or cudaMemPoolSetAccess";
    CUmemoryPool of[DEVICES];
    for (int d = 0; d < DEVICES; d++)
        assert_ok(api.cuDeviceGetDefaultMemPool(&of[d], d));
    assert_ptr_not_equal(of[0], of[1]);
    CUdeviceptr at, later;
    int ordinal;
    use_device(1);
    assert_ok(api.cuMemAllocAsync(&at, 4, NULL));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
    assert_int_equal(ordinal, 1);
    /* Peer access is no access to a pool's memory. */
    use_device(0);
    assert_ok(api.cuCtxEnablePeerAccess(primary[1], 0));
    is_refused(0, at, refusal);
    CUmemAccess_flags flags;
    CUmemLocation zero = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                  none = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 3};
    assert_ok(api.cuMemPoolGetAccess(&flags, of[1], &zero));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    assert_int_equal(api.cuMemPoolGetAccess(&flags, of[1], &none), CUDA_ERROR_INVALID_DEVICE);
    CUmemAccessDesc map = access_for(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_ok(api.cuMemPoolSetAccess(of[1], &map, 1));
    assert_ok(api.cuMemPoolGetAccess(&flags, of[1], &zero));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    use_device(1);
    assert_ok(api.cuMemAllocAsync(&later, 4, NULL));
    use_device(0);
    assert_ok(store_on(0, at, 5));
    assert_ok(store_on(0, later, 6));
    assert_int_equal(read_word(at) + read_word(later), 11);
    map = access_for(3, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_int_equal(api.cuMemPoolSetAccess(of[1], &map, 1), CUDA_ERROR_INVALID_DEVICE);
    map = access_for(1, CU_MEM_ACCESS_FLAGS_PROT_NONE); /* its own */
    assert_int_equal(api.cuMemPoolSetAccess(of[1], &map, 1), CUDA_ERROR_INVALID_VALUE);
    map = access_for(0, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    assert_ok(api.cuMemPoolSetAccess(of[1], &map, 1));
    is_refused(0, at, refusal);
    /* A pool of another device than the stream's. */
    CUmemoryPool own;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2}};
    CUdeviceptr third;
    assert_ok(api.cuMemPoolCreate(&own, &props));
    use_device(0);
    assert_ok(api.cuMemAllocFromPoolAsync(&third, 4, own, NULL));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, third));
    assert_int_equal(ordinal, 2);
    assert_int_equal(api.cuDeviceSetMemPool(1, own), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuDeviceSetMemPool(2, own));
    assert_ok(api.cuDeviceSetMemPool(2, of[2]));
    props.location.id = 3;
    CUmemoryPool bad;
    assert_int_equal(api.cuMemPoolCreate(&bad, &props), CUDA_ERROR_INVALID_DEVICE);
    assert_ok(api.cuMemFreeAsync(third, NULL));
    assert_ok(api.cuMemPoolDestroy(own));
    use_device(1);
    assert_ok(api.cuMemFreeAsync(at, NULL));
    assert_ok(api.cuMemFreeAsync(later, NULL));
}

/* Memory of a captured allocation lies where its pool says, and is the stream's context's. */
static void captured_pools(void **state) {
    (void)state;
    CUmemoryPool pool;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr here, there;
    CUmemAccessDesc map = access_for(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2}};
    int ordinal;
    CUcontext owner;
    assert_ok(api.cuMemPoolCreate(&pool, &props));
    assert_ok(api.cuMemPoolSetAccess(pool, &map, 1));
    use_device(1);
    assert_ok(api.cuStreamCreate(&stream, 0));
    use_device(0);
    assert_ok(api.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_ok(api.cuMemAllocAsync(&here, 4, stream));
    assert_ok(api.cuMemAllocFromPoolAsync(&there, 4, pool, stream));
    assert_ok(api.cuStreamEndCapture(stream, &graph));
    assert_ok(api.cuGraphInstantiate(&exec, graph, 0));
    assert_ok(api.cuGraphLaunch(exec, stream));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, here));
    assert_int_equal(ordinal, 1);
    assert_ok(api.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, here));
    assert_ptr_equal(owner, primary[1]);
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there));
    assert_int_equal(ordinal, 2);
    assert_ok(store_on(0, there, 5));
    assert_int_equal(read_word(there), 5);
    is_refused(0, here, "in memory of device 1, to which device 0 has no access");
    assert_ok(api.cuMemFree(here));
    assert_ok(api.cuMemFree(there));
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuMemPoolDestroy(pool));
    use_device(1);
    assert_ok(api.cuStreamDestroy(stream));
}

/* ---------------------------------------------------------------- copies */

/* With or without peer access. */
static void copies(void **state) {
    (void)state;
    int words[WORDS], back[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = 3 * i + 1;
    const CUdeviceptr a = alloc_on(0, sizeof words), b = alloc_on(1, sizeof words),
                      c = alloc_on(2, sizeof words);
    use_device(2);
    assert_ok(api.cuMemcpyHtoD(a, words, sizeof words)); /* by unified addresses */
    assert_ok(api.cuMemcpyPeer(b, primary[1], a, primary[0], sizeof words));
    assert_ok(api.cuMemcpyPeerAsync(c, primary[2], b, primary[1], sizeof words / 2, NULL));
    assert_ok(api.cuMemcpyDtoD(c + sizeof words / 2, b + sizeof words / 2, sizeof words / 4));
    CUDA_MEMCPY3D_PEER box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = b,
                              .srcXInBytes = sizeof words / 4 * 3,
                              .srcContext = primary[1],
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = c,
                              .dstXInBytes = sizeof words / 4 * 3,
                              .dstContext = primary[2],
                              .WidthInBytes = sizeof words / 4,
                              .Height = 1,
                              .Depth = 1};
    assert_ok(api.cuMemcpy3DPeer(&box));
    assert_ok(api.cuMemcpyDtoH(back, c, sizeof back));
    assert_memory_equal(words, back, sizeof words);
    box.srcContext = NULL;
    assert_int_equal(api.cuMemcpy3DPeer(&box), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuMemcpyPeer(b, NULL, a, primary[0], 4), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuMemcpyPeer(b, primary[1], a, primary[0], sizeof words + 4),
                     CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
    assert_ok(api.cuMemFree(c));
}

/* A graph's copy between devices, and its kernel, which runs on its own. */
static void graphs(void **state) {
    (void)state;
    const CUdeviceptr a = alloc_on(0, 4), b = alloc_on(1, 4);
    const float one = 1;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode copy, kernel;
    use_device(1);
    assert_ok(api.cuMemcpyHtoD(a, &one, 4));
    assert_ok(api.cuGraphCreate(&graph, 0));
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = a,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = b,
                         .WidthInBytes = 4,
                         .Height = 1,
                         .Depth = 1};
    assert_ok(api.cuGraphAddMemcpyNode(&copy, graph, NULL, 0, &box, primary[0]));
    CUdeviceptr x = b;
    int n = 1;
    void *params[] = {&x, &x, &x, &n};
    CUDA_KERNEL_NODE_PARAMS node = {.func = vadd[1],
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    assert_ok(api.cuGraphAddKernelNode(&kernel, graph, &copy, 1, &node));
    assert_ok(api.cuGraphInstantiate(&exec, graph, 0));
    use_device(0); /* in whose stream the graph is launched */
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuCtxSynchronize());
    float sum;
    assert_ok(api.cuMemcpyDtoH(&sum, b, 4));
    assert_true(sum == 2);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, devices_start, devices_end)
    const struct CMUnitTest tests[] = {
        TEST(pools),
        TEST(captured_pools),
        TEST(copies),
        TEST(graphs),
    };
#undef TEST
    return cmocka_run_group_tests(tests, devices_open, devices_close);
}
