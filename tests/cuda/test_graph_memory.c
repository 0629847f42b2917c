/* Memory that graphs allocate and free, and its accounting. */
#include <pthread.h>

#include "tests/cuda/graphs.h"

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
    /* It cannot be freed before a launch has allocated it. */
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
    /* Another launch needs the memory freed: by the program, by another graph, or by this one. */
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
    /* Operations that such a graph does not support. */
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
    /* Memory that the program has not freed outlives the graph. */
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
    static const int unknown[] = {4, 9, 31, 32, -1};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(api.cuDeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)unknown[i], &zero),
                         CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGraphMemTrim(1), CUDA_ERROR_INVALID_DEVICE);
    assert_ok(api.cuDeviceGraphMemTrim(0));
    /* A graph whose memory is released with its context. */
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

static CUgraph create_with_memory(CUdeviceptr *address) {
    CUgraph graph = create_graph();
    CUgraphNode node;
    CUDA_MEM_ALLOC_NODE_PARAMS params = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
                                         .bytesize = 64};
    assert_ok(api.cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    *address = params.dptr;
    return graph;
}

/* An executable graph that outlives its graph distinguishes it from a new one with the same handle. */
static void a_handle_used_again(void **state) {
    (void)state;
    enum { MOST = 64 };
    CUgraph others[MOST], second = NULL;
    CUgraphExec exec, of_second, third;
    CUdeviceptr address;
    size_t count = 0;
    CUgraph first = create_with_memory(&address);
    exec = instantiate(first);
    assert_ok(api.cuGraphDestroy(first));
    while (!second && count < MOST) {
        others[count] = create_with_memory(&address);
        if (others[count] == first)
            second = first;
        else
            count++;
    }
    if (second) {
        of_second = instantiate(second);
        assert_ok(api.cuGraphExecDestroy(exec));
        assert_int_equal(api.cuGraphInstantiateWithFlags(&third, second, 0), CUDA_ERROR_INVALID_VALUE);
        assert_ok(api.cuGraphExecDestroy(of_second));
        third = instantiate(second);
        assert_ok(api.cuGraphExecDestroy(third));
        assert_ok(api.cuGraphDestroy(second));
    } else {
        assert_ok(api.cuGraphExecDestroy(exec));
    }
    while (count)
        assert_ok(api.cuGraphDestroy(others[--count]));
    if (!second)
        skip();
}

struct ending {
    pthread_barrier_t *start;
    CUgraphExec exec; /* NULL: the thread frees address */
    CUdeviceptr address;
};

static void *end_one(void *data) {
    struct ending *ending = data;
    CUresult error = api.cuCtxSetCurrent(api_context);
    pthread_barrier_wait(ending->start);
    if (!error)
        error = ending->exec ? api.cuGraphExecDestroy(ending->exec) : api.cuMemFree(ending->address);
    return (void *)(uintptr_t)error;
}

/* A graph, its executable copy and the program release the same memory concurrently in three threads. */
static void ends_at_once(void **state) {
    (void)state;
    uint64_t before = graph_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
    for (int i = 0; i < 300; i++) {
        pthread_barrier_t start;
        pthread_t threads[2];
        CUdeviceptr address;
        CUgraph graph = create_with_memory(&address);
        CUgraphExec exec = instantiate(graph);
        assert_ok(api.cuGraphLaunch(exec, NULL));
        struct ending endings[2] = {{&start, exec, 0}, {&start, NULL, address}};
        assert_int_equal(pthread_barrier_init(&start, NULL, 3), 0);
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, end_one, &endings[k]), 0);
        pthread_barrier_wait(&start);
        assert_ok(api.cuGraphDestroy(graph));
        for (int k = 0; k < 2; k++) {
            void *error;
            assert_int_equal(pthread_join(threads[k], &error), 0);
            assert_null(error);
        }
        pthread_barrier_destroy(&start);
        assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), before);
    }
    assert_int_equal(graph_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
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
        cmocka_unit_test(a_handle_used_again),
        cmocka_unit_test(ends_at_once),
        cmocka_unit_test(pools),
    };
    return cmocka_run_group_tests(tests, graphs_setup, api_teardown);
}
