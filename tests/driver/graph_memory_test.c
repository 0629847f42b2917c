/* Memory that graphs allocate and free, and its books. */
#include "tests/driver/graphs.h"

static uint64_t graph_bytes(CUgraphMem_attribute attribute) {
    uint64_t value = 99;
    assert_ok(api.cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

static void memory(void **state) {
    (void)state;
    CUgraph graph = create_graph(), other = create_graph();
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = 4096,
    };
    CUgraphNode alloc, fill_node, free_node, bad;
    assert_ok(api.cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    assert_true(params.dptr != 0);
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 4096);
    /* It cannot be freed before a launch allocated it. */
    assert_int_equal(api.cuMemFree(params.dptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = params.dptr, .value = 5, .elementSize = 4, .width = 1024, .height = 1};
    assert_ok(api.cuGraphAddMemsetNode(&fill_node, graph, &alloc, 1, &fill, NULL));
    CUgraphExec exec = instantiate(graph), second;
    assert_int_equal(api.cuGraphInstantiateWithFlags(&second, graph, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 4096);
    int value;
    assert_ok(api.cuMemcpyDtoH(&value, params.dptr + 4092, 4));
    assert_int_equal(value, 5);
    /* Again only when it was freed: by the program, by another graph, or by itself. */
    assert_int_equal(api.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(params.dptr));
    assert_int_equal(api.cuMemFree(params.dptr), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphAddMemFreeNode(&free_node, other, NULL, 0, params.dptr));
    assert_int_equal(api.cuGraphAddMemFreeNode(&bad, other, NULL, 0, params.dptr), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr told;
    assert_ok(api.cuGraphMemFreeNodeGetParams(free_node, &told));
    assert_true(told == params.dptr);
    launch_once(other);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuMemFreeAsync(params.dptr, NULL));
    assert_ok(api.cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    /* What such a graph may not. */
    assert_int_equal(api.cuGraphDestroyNode(alloc), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(api.cuGraphRemoveDependencies(graph, &alloc, &fill_node, NULL, 1),
                     CUDA_ERROR_NOT_SUPPORTED);
    CUgraph clone;
    assert_int_equal(api.cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(api.cuGraphAddChildGraphNode(&bad, other, NULL, 0, graph), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(api.cuGraphAddMemFreeNode(&bad, graph, NULL, 0, word), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEM_ALLOC_NODE_PARAMS wrong = params;
    wrong.bytesize = 0;
    assert_int_equal(api.cuGraphAddMemAllocNode(&bad, graph, NULL, 0, &wrong), CUDA_ERROR_INVALID_VALUE);
    wrong = params;
    wrong.poolProps.location.id = 1;
    assert_int_equal(api.cuGraphAddMemAllocNode(&bad, graph, NULL, 0, &wrong), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuGraphAddMemAllocNode(&bad, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphMemAllocNodeGetParams(alloc, &wrong));
    assert_int_equal(wrong.bytesize, 4096);
    /* What the program has not freed outlives the graph. */
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuGraphDestroy(other));
    assert_ok(api.cuMemcpyDtoH(&value, params.dptr, 4));
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 4096);
    assert_ok(api.cuMemFree(params.dptr));
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 4096);
    uint64_t zero = 0, one = 1;
    assert_ok(api.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0);
    assert_int_equal(api.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &one),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetGraphMemAttribute(0, 9, &zero), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGraphMemTrim(1), CUDA_ERROR_INVALID_DEVICE);
    assert_ok(api.cuDeviceGraphMemTrim(0));
    /* A graph whose memory goes with its context. */
    graph = create_graph();
    CUcontext context;
    assert_ok(api.context_create(&context, 0, 0));
    assert_ok(api.cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    assert_ok(api.cuCtxDestroy(context));
    exec = instantiate(graph);
    assert_int_equal(api.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

static void pools(void **state) {
    (void)state;
    CUmemoryPool pool;
    assert_ok(api.cuDeviceGetDefaultMemPool(&pool, 0));
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = 0;
    assert_ok(api.cuMemPoolSetAccess(pool, &access, 1));
    assert_ok(api.cuMemPoolGetAccess(&flags, pool, &access.location));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_int_equal(api.cuMemPoolSetAccess(pool, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    assert_int_equal(api.cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_VALUE);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access.location.id = 1;
    assert_int_equal(api.cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuMemPoolGetAccess(&flags, pool, &access.location), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuMemPoolGetAccess(NULL, pool, &access.location), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(pools),
    };
    return cmocka_run_group_tests(tests, graphs_setup, api_teardown);
}
