/* The actions of graph nodes, and their parameters. */
#include "tests/cuda/graphs.h"

static void kernel_nodes(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode node = add_store(graph, NULL, 0, 1, 42), other;
    CUDA_KERNEL_NODE_PARAMS params, bad;
    assert_ok(api.cuGraphKernelNodeGetParams(node, &params));
    assert_ptr_equal(params.func, store_at);
    assert_int_equal(params.blockDimX, 1);
    assert_null(params.extra);
    assert_int_equal(*(int *)params.kernelParams[1], 42);
    struct wl_counters before, after;
    api.get_counters(&before);
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    api.get_counters(&after);
    assert_int_equal(read_word(1), 42);
    assert_int_equal(after.global_store_requests - before.global_store_requests, 2);
    /* The executable graph has its own copy; both can be changed. */
    CUdeviceptr to = word + 8;
    int value = 7;
    void *arguments[] = {&to, &value};
    params.kernelParams = arguments;
    assert_ok(api.cuGraphKernelNodeSetParams(node, &params));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    write_word(2, 0);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(2), 0);
    launch_once(graph);
    assert_int_equal(read_word(2), 7);
    value = 8;
    assert_ok(api.cuGraphExecKernelNodeSetParams(exec, node, &params));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(2), 8);
    assert_ok(api.cuGraphKernelNodeGetParams(node, &bad));
    assert_int_equal(*(int *)bad.kernelParams[1], 7);
    /* Parameters in one buffer. */
    struct {
        CUdeviceptr to;
        int value;
    } packed = {word + 8, 9};
    size_t size = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    bad = params;
    bad.extra = extra;
    assert_int_equal(api.cuGraphAddKernelNode(&other, graph, NULL, 0, &bad), CUDA_ERROR_INVALID_VALUE);
    bad.kernelParams = NULL;
    assert_ok(api.cuGraphExecKernelNodeSetParams(exec, node, &bad));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(2), 9);
    assert_ok(api.cuGraphAddKernelNode(&other, graph, NULL, 0, &bad));
    assert_ok(api.cuGraphKernelNodeGetParams(other, &bad));
    assert_null(bad.kernelParams);
    assert_ptr_equal(bad.extra[0], CU_LAUNCH_PARAM_BUFFER_POINTER);
    /* Attributes. */
    CUkernelNodeAttrValue attribute = {.priority = -2};
    assert_ok(api.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute));
    assert_ok(api.cuGraphKernelNodeCopyAttributes(other, node));
    memset(&attribute, 0, sizeof attribute);
    assert_ok(api.cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute));
    assert_int_equal(attribute.priority, -2);
    assert_int_equal(api.cuGraphKernelNodeGetAttribute(other, 99, &attribute), CUDA_ERROR_INVALID_VALUE);
    /* Parameters that a launch would refuse. */
    bad = params;
    bad.blockDimX = 2000;
    assert_int_equal(api.cuGraphAddKernelNode(&other, graph, NULL, 0, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = params;
    bad.gridDimY = 0;
    assert_int_equal(api.cuGraphKernelNodeSetParams(node, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = params;
    bad.func = NULL;
    assert_int_equal(api.cuGraphAddKernelNode(&other, graph, NULL, 0, &bad), CUDA_ERROR_INVALID_VALUE);
    bad.func = (CUfunction)graph;
    assert_int_equal(api.cuGraphAddKernelNode(&other, graph, NULL, 0, &bad), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuGraphAddKernelNode(&other, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    CUDA_HOST_NODE_PARAMS host;
    assert_int_equal(api.cuGraphHostNodeGetParams(node, &host), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_int_equal(api.cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphDestroy(graph));
}

/* Kernels of an unloaded module do not run. */
static void unloaded(void **state) {
    (void)state;
    char *text = api_read("kernels.ptx", NULL);
    CUmodule loaded;
    CUgraph graph = create_graph();
    CUDA_KERNEL_NODE_PARAMS params = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    CUgraphNode node;
    assert_ok(api.cuModuleLoadData(&loaded, text));
    free(text);
    assert_ok(api.cuModuleGetFunction(&params.func, loaded, "no_parameters"));
    assert_ok(api.cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuModuleUnload(loaded));
    assert_int_equal(api.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

static void copies_and_fills(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    int source[4] = {1, 2, 3, 4}, target[4] = {0}, more[4] = {5, 6, 7, 8};
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = source,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = word,
                        .WidthInBytes = 16,
                        .Height = 1,
                        .Depth = 1};
    CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = word,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = target,
                         .WidthInBytes = 16,
                         .Height = 1,
                         .Depth = 1};
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = word + 4, .value = 0x01010101, .elementSize = 4, .width = 2, .height = 1};
    CUgraphNode a, b, c, bad;
    assert_ok(api.cuGraphAddMemcpyNode(&a, graph, NULL, 0, &in, api_context));
    assert_ok(api.cuGraphAddMemsetNode(&b, graph, &a, 1, &fill, api_context));
    assert_ok(api.cuGraphAddMemcpyNode(&c, graph, &b, 1, &out, api_context));
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_memory_equal(target, ((int[]){1, 0x01010101, 0x01010101, 4}), 16);
    CUDA_MEMCPY3D told;
    CUDA_MEMSET_NODE_PARAMS set;
    assert_ok(api.cuGraphMemcpyNodeGetParams(a, &told));
    assert_ptr_equal(told.srcHost, source);
    assert_ok(api.cuGraphMemsetNodeGetParams(b, &set));
    assert_int_equal(set.width, 2);
    /* Changed in the executable copy; then nodes are disabled. */
    in.srcHost = more;
    assert_ok(api.cuGraphExecMemcpyNodeSetParams(exec, a, &in, api_context));
    fill.value = 9;
    fill.width = 1;
    assert_ok(api.cuGraphExecMemsetNodeSetParams(exec, b, &fill, api_context));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_memory_equal(target, ((int[]){5, 9, 7, 8}), 16);
    unsigned enabled = 9;
    assert_ok(api.cuGraphNodeGetEnabled(exec, b, &enabled));
    assert_int_equal(enabled, 1);
    assert_ok(api.cuGraphNodeSetEnabled(exec, b, 0));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_memory_equal(target, more, 16);
    assert_ok(api.cuGraphNodeSetEnabled(exec, b, 1));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(target[1], 9);
    /* And in the graph itself. */
    assert_ok(api.cuGraphMemcpyNodeSetParams(a, &in));
    assert_ok(api.cuGraphMemsetNodeSetParams(b, &fill));
    launch_once(graph);
    assert_int_equal(target[0], 5);
    /* Refused. */
    fill.height = 2;
    fill.pitch = 8;
    assert_int_equal(api.cuGraphExecMemsetNodeSetParams(exec, b, &fill, api_context),
                     CUDA_ERROR_INVALID_VALUE);
    fill.height = 0;
    assert_int_equal(api.cuGraphAddMemsetNode(&bad, graph, NULL, 0, &fill, NULL), CUDA_ERROR_INVALID_VALUE);
    fill.height = 1;
    fill.elementSize = 3;
    assert_int_equal(api.cuGraphAddMemsetNode(&bad, graph, NULL, 0, &fill, NULL), CUDA_ERROR_INVALID_VALUE);
    fill.elementSize = 4;
    fill.width = 5;
    assert_int_equal(api.cuGraphAddMemsetNode(&bad, graph, NULL, 0, &fill, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddMemsetNode(&bad, graph, NULL, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    in.WidthInBytes = 20;
    assert_int_equal(api.cuGraphAddMemcpyNode(&bad, graph, NULL, 0, &in, NULL), CUDA_ERROR_INVALID_VALUE);
    in.WidthInBytes = 0;
    assert_int_equal(api.cuGraphAddMemcpyNode(&bad, graph, NULL, 0, &in, NULL), CUDA_ERROR_INVALID_VALUE);
    in.WidthInBytes = 4;
    in.Height = 2;
    in.srcPitch = in.dstPitch = 4;
    assert_int_equal(api.cuGraphExecMemcpyNodeSetParams(exec, a, &in, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphExecMemcpyNodeSetParams(exec, a, &out, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddMemcpyNode(&bad, graph, NULL, 0, &out, (CUcontext)graph),
                     CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuGraphExecMemsetNodeSetParams(exec, a, &fill, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

static void add_ten(void *data) {
    *(int *)data += 10;
}

static void host_and_child(void **state) {
    (void)state;
    int calls = 0;
    CUgraph child = create_graph(), graph = create_graph(), within, clone;
    CUgraphNode host, node, found, bad;
    CUDA_HOST_NODE_PARAMS params = {.fn = add_one, .userData = &calls}, told;
    assert_ok(api.cuGraphAddHostNode(&host, child, NULL, 0, &params));
    assert_ok(api.cuGraphHostNodeGetParams(host, &told));
    assert_ptr_equal(told.userData, &calls);
    assert_ok(api.cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    assert_ok(api.cuGraphAddChildGraphNode(&node, graph, &node, 1, child));
    launch_once(graph);
    assert_int_equal(calls, 2);
    assert_ok(api.cuGraphChildGraphNodeGetGraph(node, &within));
    assert_ptr_not_equal(within, child);
    size_t count = 1;
    CUgraphNode inner;
    assert_ok(api.cuGraphGetNodes(within, &inner, &count));
    assert_ok(api.cuGraphNodeFindInClone(&found, host, within));
    assert_ptr_equal(found, inner);
    /* The embedded graph belongs to the node: a change to it changes what the node does. */
    CUgraphExec exec = instantiate(graph);
    params.fn = add_ten;
    assert_ok(api.cuGraphHostNodeSetParams(inner, &params));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(calls, 4);
    assert_ok(api.cuGraphExecHostNodeSetParams(exec, inner, &params));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(calls, 15);
    assert_ok(api.cuGraphHostNodeSetParams(host, &params));
    assert_ok(api.cuGraphExecChildGraphNodeSetParams(exec, node, child));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(calls, 26);
    assert_int_equal(api.cuGraphDestroy(within), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphClone(&clone, graph));
    assert_ok(api.cuGraphNodeFindInClone(&found, node, clone));
    assert_int_equal(api.cuGraphNodeFindInClone(&found, host, clone), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphDestroy(clone));
    assert_int_equal(api.cuGraphNodeFindInClone(&found, node, clone), CUDA_ERROR_INVALID_VALUE);
    CUgraphNode empty;
    assert_ok(api.cuGraphAddEmptyNode(&empty, child, NULL, 0));
    assert_int_equal(api.cuGraphExecChildGraphNodeSetParams(exec, node, child), CUDA_ERROR_INVALID_VALUE);
    params.fn = NULL;
    assert_int_equal(api.cuGraphAddHostNode(&bad, graph, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddHostNode(&bad, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddChildGraphNode(&bad, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphNodeSetEnabled(exec, node, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(child));
    assert_ok(api.cuGraphDestroy(graph));
    assert_int_equal(api.cuGraphNodeGetType(inner, &(CUgraphNodeType){0}), CUDA_ERROR_INVALID_VALUE);
}

static void events(void **state) {
    (void)state;
    CUevent event, other, told;
    CUgraph graph = create_graph();
    CUgraphNode record, wait, bad;
    float time;
    assert_ok(api.cuEventCreate(&event, 0));
    assert_ok(api.cuEventCreate(&other, 0));
    assert_ok(api.cuGraphAddEventRecordNode(&record, graph, NULL, 0, event));
    assert_ok(api.cuGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    assert_ok(api.cuGraphEventRecordNodeGetEvent(record, &told));
    assert_ptr_equal(told, event);
    CUgraphExec exec = instantiate(graph);
    assert_int_equal(api.cuEventElapsedTime(&time, event, event), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuEventElapsedTime(&time, event, event));
    assert_ok(api.cuGraphExecEventRecordNodeSetEvent(exec, record, other));
    assert_ok(api.cuGraphExecEventWaitNodeSetEvent(exec, wait, other));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuEventElapsedTime(&time, event, other));
    assert_ok(api.cuGraphEventRecordNodeSetEvent(record, other));
    assert_ok(api.cuGraphEventWaitNodeSetEvent(wait, other));
    assert_ok(api.cuGraphEventWaitNodeGetEvent(wait, &told));
    assert_ptr_equal(told, other);
    assert_int_equal(api.cuGraphAddEventRecordNode(&bad, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuGraphEventWaitNodeGetEvent(record, &told), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuEventDestroy(other));
    assert_int_equal(api.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuEventDestroy(event));
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

static void words(void **state) {
    (void)state;
    uint64_t value = 0;
    assert_ok(api.cuStreamWriteValue32(NULL, word, 77, 0));
    assert_int_equal(read_word(0), 77);
    assert_ok(api.cuStreamWriteValue64(NULL, word + 8, 1ull << 40, 0));
    assert_ok(api.cuMemcpyDtoH(&value, word + 8, 8));
    assert_true(value == 1ull << 40);
    assert_ok(api.cuStreamWaitValue32(NULL, word, 77, CU_STREAM_WAIT_VALUE_EQ));
    assert_ok(api.cuStreamWaitValue32(NULL, word, 70, CU_STREAM_WAIT_VALUE_GEQ));
    assert_ok(api.cuStreamWaitValue32(NULL, word, 1, CU_STREAM_WAIT_VALUE_AND));
    assert_ok(api.cuStreamWaitValue64(NULL, word + 8, 1, CU_STREAM_WAIT_VALUE_NOR));
    /* Nothing could write it while the call waits. */
    assert_int_equal(api.cuStreamWaitValue32(NULL, word, 78, CU_STREAM_WAIT_VALUE_EQ),
                     CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(api.cuStreamWaitValue32(NULL, word, ~0u, CU_STREAM_WAIT_VALUE_NOR),
                     CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(api.cuStreamWaitValue32(NULL, word, 1, 0x10), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamWriteValue32(NULL, word + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamWriteValue64(NULL, word + 16, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamBatchMemOp(NULL, 0, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    CUstreamBatchMemOpParams two[2];
    memset(two, 0, sizeof two);
    two[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    two[0].writeValue.address = word;
    two[0].writeValue.value = 5;
    two[1].operation = CU_STREAM_MEM_OP_BARRIER;
    CUgraph graph = create_graph();
    CUgraphNode node;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = 2, .paramArray = two}, told;
    assert_ok(api.cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    launch_once(graph);
    assert_int_equal(read_word(0), 5);
    assert_ok(api.cuGraphBatchMemOpNodeGetParams(node, &told));
    assert_int_equal(told.count, 2);
    CUgraphExec exec = instantiate(graph);
    two[0].writeValue.value = 6;
    assert_ok(api.cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    assert_ok(api.cuGraphBatchMemOpNodeSetParams(node, &params));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(0), 6);
    params.count = 1;
    assert_int_equal(api.cuGraphExecBatchMemOpNodeSetParams(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
    two[0].operation = 99;
    assert_int_equal(api.cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

/* Nodes of every kind, through the function that adds any kind. */
static void any_node(void **state) {
    (void)state;
    int calls = 0;
    CUgraph graph = create_graph(), child = create_graph();
    CUevent event;
    CUgraphNode node, before = NULL, kernel;
    CUdeviceptr to = word;
    int value = 31;
    void *arguments[] = {&to, &value};
    assert_ok(api.cuEventCreate(&event, 0));
    CUgraphNodeParams params[] = {
        {.type = CU_GRAPH_NODE_TYPE_KERNEL,
         .kernel = {store_at, 1, 1, 1, 1, 1, 1, 0, arguments, NULL, NULL, NULL}},
        {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
         .memcpy = {.copyParams = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                   .srcDevice = word,
                                   .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                   .dstDevice = word + 4,
                                   .WidthInBytes = 4,
                                   .Height = 1,
                                   .Depth = 1}}},
        {.type = CU_GRAPH_NODE_TYPE_MEMSET,
         .memset = {.dst = word + 8, .value = 3, .elementSize = 4, .width = 1, .height = 1}},
        {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {.fn = add_one, .userData = &calls}},
        {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}},
        {.type = CU_GRAPH_NODE_TYPE_EMPTY},
        {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {.event = event}},
        {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {.event = event}},
        {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
         .alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
                   .bytesize = 64}},
        {.type = CU_GRAPH_NODE_TYPE_MEM_FREE},
    };
    size_t count = sizeof params / sizeof *params;
    for (size_t i = 0; i < count; i++) {
        if (params[i].type == CU_GRAPH_NODE_TYPE_MEM_FREE)
            params[i].free.dptr = params[i - 1].alloc.dptr;
        assert_ok(api.cuGraphAddNode(&node, graph, i ? &before : NULL, NULL, i != 0, &params[i]));
        CUgraphNodeType type;
        assert_ok(api.cuGraphNodeGetType(node, &type));
        assert_int_equal(type, params[i].type);
        if (!i)
            kernel = node;
        before = node;
    }
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(1), 31);
    assert_int_equal(read_word(2), 3);
    assert_int_equal(calls, 2);
    value = 32;
    assert_ok(api.cuGraphNodeSetParams(kernel, &params[0]));
    value = 33;
    assert_ok(api.cuGraphExecNodeSetParams(exec, kernel, &params[0]));
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(1), 33);
    assert_int_equal(api.cuGraphNodeSetParams(kernel, &params[1]), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphNodeSetParams(before, &params[9]), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(api.cuGraphExecNodeSetParams(exec, before, &params[9]), CUDA_ERROR_NOT_SUPPORTED);
    CUgraphNodeParams bad = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    assert_int_equal(api.cuGraphAddNode(&node, graph, NULL, NULL, 0, &bad), CUDA_ERROR_NOT_SUPPORTED);
    bad.type = 77;
    assert_int_equal(api.cuGraphAddNode(&node, graph, NULL, NULL, 0, &bad), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddNode(&node, graph, NULL, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(child));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuEventDestroy(event));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_nodes),   cmocka_unit_test(unloaded), cmocka_unit_test(copies_and_fills),
        cmocka_unit_test(host_and_child), cmocka_unit_test(events),   cmocka_unit_test(words),
        cmocka_unit_test(any_node),
    };
    return cmocka_run_group_tests(tests, graphs_setup, api_teardown);
}
