/* Graphs: their structure, what their nodes do, and executable copies. */
#include <stdio.h>

#include "tests/driver/api.h"

static CUmodule module;
static CUfunction store_at, no_parameters;
static CUdeviceptr word; /* four of them */

static int setup(void **state) {
    if (api_setup(state))
        return -1;
    char *text = api_read("kernels.ptx", NULL);
    CUresult error = api.cuModuleLoadData(&module, text);
    free(text);
    if (!error)
        error = api.cuModuleGetFunction(&store_at, module, "store_at");
    if (!error)
        error = api.cuModuleGetFunction(&no_parameters, module, "no_parameters");
    if (!error)
        error = api.cuMemAlloc(&word, 16);
    return error ? -1 : 0;
}

static int read_word(unsigned index) {
    int value;
    assert_ok(api.cuMemcpyDtoH(&value, word + 4 * index, sizeof value));
    return value;
}

static void write_word(unsigned index, int value) {
    assert_ok(api.cuMemcpyHtoD(word + 4 * index, &value, sizeof value));
}

/* A node that stores a value; the parameters are copied. */
static CUgraphNode add_store(CUgraph graph, const CUgraphNode *dependencies, size_t count, unsigned index,
                             int value) {
    CUdeviceptr to = word + 4 * index;
    void *arguments[] = {&to, &value};
    CUDA_KERNEL_NODE_PARAMS params = {.func = store_at,
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = arguments};
    CUgraphNode node;
    assert_ok(api.cuGraphAddKernelNode(&node, graph, dependencies, count, &params));
    return node;
}

static CUgraph create(void) {
    CUgraph graph;
    assert_ok(api.cuGraphCreate(&graph, 0));
    return graph;
}

static CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec exec;
    assert_ok(api.cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static void launch_once(CUgraph graph) {
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphExecDestroy(exec));
}

static void structure(void **state) {
    (void)state;
    CUgraph graph = create(), other = create();
    CUgraphNode a, b, c, d, nodes[8], from[8], to[8];
    size_t count = 8;
    assert_ok(api.cuGraphAddEmptyNode(&a, graph, NULL, 0));
    assert_ok(api.cuGraphAddEmptyNode(&b, graph, &a, 1));
    assert_ok(api.cuGraphAddEmptyNode(&c, graph, (CUgraphNode[]){a, b}, 2));
    assert_ok(api.cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 3);
    count = 5;
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(nodes[0], a);
    assert_ptr_equal(nodes[2], c);
    assert_null(nodes[4]);
    count = 2;
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    count = 8;
    assert_ok(api.cuGraphGetRootNodes(graph, nodes, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(nodes[0], a);
    count = 8;
    assert_ok(api.cuGraphGetEdges(graph, from, to, NULL, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(from[0], a);
    assert_ptr_equal(to[0], b);
    assert_ptr_equal(to[2], c);
    CUgraphEdgeData data[8];
    memset(data, 0xff, sizeof data);
    count = 8;
    assert_ok(api.cuGraphNodeGetDependencies(c, nodes, data, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(nodes[1], b);
    assert_int_equal(data[1].type, 0);
    count = 8;
    assert_ok(api.cuGraphNodeGetDependentNodes(a, nodes, NULL, &count));
    assert_int_equal(count, 2);
    CUgraphNodeType type;
    assert_ok(api.cuGraphNodeGetType(a, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_EMPTY);
    /* Edges come once, within one graph. */
    assert_int_equal(api.cuGraphAddDependencies(graph, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddDependencies(graph, &a, &a, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddDependencies(other, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(&d, graph, (CUgraphNode[]){a, a}, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(&d, other, &a, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(&d, graph, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(NULL, graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    /* One bad edge of several: none is added, or taken away. */
    assert_ok(api.cuGraphAddEmptyNode(&d, graph, NULL, 0));
    assert_int_equal(api.cuGraphAddDependencies(graph, (CUgraphNode[]){d, a}, (CUgraphNode[]){c, b}, NULL, 2),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        api.cuGraphRemoveDependencies(graph, (CUgraphNode[]){a, d}, (CUgraphNode[]){b, c}, NULL, 2),
        CUDA_ERROR_INVALID_VALUE);
    count = 0;
    assert_ok(api.cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 3);
    assert_ok(api.cuGraphRemoveDependencies(graph, &a, &b, NULL, 1));
    assert_int_equal(api.cuGraphRemoveDependencies(graph, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphDestroyNode(a));
    assert_int_equal(api.cuGraphDestroyNode(a), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphNodeGetType(a, &type), CUDA_ERROR_INVALID_VALUE);
    count = 8;
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(nodes[0], b);
    assert_ok(api.cuGraphDestroy(other));
    assert_ok(api.cuGraphDestroy(graph));
    assert_int_equal(api.cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphDestroy((CUgraph)&graph), CUDA_ERROR_INVALID_VALUE);
}

/* What an edge carries is seen only by those who ask for it. */
static void edge_data(void **state) {
    (void)state;
    CUgraph graph = create();
    CUgraphNode a = add_store(graph, NULL, 0, 0, 1), b = add_store(graph, NULL, 0, 0, 2), found, end;
    CUgraphNode empty;
    assert_ok(api.cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    CUgraphEdgeData data = {.from_port = 1, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC}, told = {0};
    size_t count = 1;
    assert_int_equal(api.cuGraphAddDependencies(graph, &a, &empty, &data, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphAddDependencies(graph, &a, &b, &data, 1));
    assert_ok(api.cuGraphGetEdges(graph, &found, &end, &told, &count));
    assert_memory_equal(&told, &data, sizeof data);
    assert_int_equal(api.cuGraphGetEdges(graph, &found, &end, NULL, &count), CUDA_ERROR_LOSSY_QUERY);
    assert_int_equal(api.cuGraphNodeGetDependencies(b, &found, NULL, &count), CUDA_ERROR_LOSSY_QUERY);
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    assert_int_equal(api.cuGraphAddNode(&found, graph, &a, &data, 1, &params), CUDA_ERROR_INVALID_VALUE);
    count = 0;
    assert_ok(api.cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 3);
    launch_once(graph);
    assert_int_equal(read_word(0), 2);
    assert_ok(api.cuGraphDestroy(graph));
}

/* Whatever the order in which nodes were added, each runs after those it depends on. */
static void order(void **state) {
    (void)state;
    CUgraph graph = create();
    CUgraphNode last = add_store(graph, NULL, 0, 0, 3), middle = add_store(graph, NULL, 0, 0, 2);
    CUgraphNode first = add_store(graph, NULL, 0, 0, 1);
    assert_ok(api.cuGraphAddDependencies(graph, (CUgraphNode[]){first, middle}, (CUgraphNode[]){middle, last},
                                         NULL, 2));
    launch_once(graph);
    assert_int_equal(read_word(0), 3);
    /* A cycle cannot run. */
    CUgraphExec exec;
    assert_ok(api.cuGraphAddDependencies(graph, &last, &first, NULL, 1));
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = 0};
    assert_int_equal(api.cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    assert_non_null(params.hErrNode_out);
    assert_ok(api.cuGraphDestroy(graph));
    /* A long chain does not run out of stack. */
    graph = create();
    CUgraphNode node, before = NULL;
    for (int i = 0; i < 20000; i++) {
        assert_ok(api.cuGraphAddEmptyNode(&node, graph, NULL, 0));
        if (before)
            assert_ok(api.cuGraphAddDependencies(graph, &node, &before, NULL, 1));
        before = node;
    }
    launch_once(graph);
    assert_ok(api.cuGraphDestroy(graph));
}

static void kernel_nodes(void **state) {
    (void)state;
    CUgraph graph = create();
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
    /* The executable graph has a copy of its own; both can be changed. */
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
    /* Parameters as one buffer. */
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
    attribute.clusterDim.x = 2;
    assert_int_equal(
        api.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &attribute),
        CUDA_ERROR_NOT_SUPPORTED);
    /* What a launch would refuse. */
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

/* Kernels whose module went away do not run. */
static void unloaded(void **state) {
    (void)state;
    char *text = api_read("kernels.ptx", NULL);
    CUmodule loaded;
    CUgraph graph = create();
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
    CUgraph graph = create();
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
    /* Changed in the executable copy, then nodes switched off. */
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

static void add_one(void *data) {
    ++*(int *)data;
}

static void add_ten(void *data) {
    *(int *)data += 10;
}

static void host_and_child(void **state) {
    (void)state;
    int calls = 0;
    CUgraph child = create(), graph = create(), within, clone;
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
    /* The embedded graph is the node's: what changes in it changes what the node does. */
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
    CUgraph graph = create();
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

static uint64_t graph_bytes(CUgraphMem_attribute attribute) {
    uint64_t value = 99;
    assert_ok(api.cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

static void memory(void **state) {
    (void)state;
    CUgraph graph = create(), other = create();
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
    graph = create();
    CUcontext context;
    assert_ok(api.context_create(&context, 0, 0));
    assert_ok(api.cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    assert_ok(api.cuCtxDestroy(context));
    exec = instantiate(graph);
    assert_int_equal(api.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
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
    CUgraph graph = create();
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

/* Nodes of every kind through the one function that adds any. */
static void any_node(void **state) {
    (void)state;
    int calls = 0;
    CUgraph graph = create(), child = create();
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

static CUgraphExecUpdateResult update(CUgraphExec exec, CUgraph graph, CUgraphNode *node) {
    CUgraphExecUpdateResultInfo info;
    CUresult error = api.cuGraphExecUpdate(exec, graph, &info);
    assert_int_equal(error, info.result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS);
    if (node)
        *node = info.errorNode;
    return info.result;
}

static void updates(void **state) {
    (void)state;
    CUgraph graph = create(), same = create(), other;
    CUgraphNode a = add_store(graph, NULL, 0, 0, 1), b, wrong;
    add_store(graph, &a, 1, 1, 2);
    CUgraphExec exec = instantiate(graph);
    a = add_store(same, NULL, 0, 0, 10);
    b = add_store(same, &a, 1, 1, 20);
    assert_int_equal(update(exec, same, &wrong), CU_GRAPH_EXEC_UPDATE_SUCCESS);
    assert_null(wrong);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(0), 10);
    assert_int_equal(read_word(1), 20);
    /* A node more, other edges, another kind. */
    add_store(same, NULL, 0, 2, 30);
    assert_int_equal(update(exec, same, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_null(wrong);
    other = create();
    add_store(other, NULL, 0, 0, 5);
    b = add_store(other, NULL, 0, 1, 6);
    assert_int_equal(update(exec, other, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_ptr_equal(wrong, b);
    assert_ok(api.cuGraphDestroy(other));
    other = create();
    a = add_store(other, NULL, 0, 0, 5);
    assert_ok(api.cuGraphAddEmptyNode(&b, other, &a, 1));
    assert_int_equal(update(exec, other, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_ptr_equal(wrong, b);
    assert_ok(api.cuGraphDestroy(other));
    other = create();
    a = add_store(other, NULL, 0, 0, 5);
    b = add_store(other, &a, 1, 1, 6);
    CUkernelNodeAttrValue attribute = {.cooperative = 1};
    assert_ok(api.cuGraphKernelNodeSetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute));
    assert_int_equal(update(exec, other, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
    /* None of the failed ones changed anything. */
    write_word(0, 0);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(read_word(0), 10);
    CUgraphExecUpdateResultInfo info;
    assert_int_equal(api.cuGraphExecUpdate(exec, NULL, &info), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR);
    assert_int_equal(api.cuGraphExecUpdate(exec, graph, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(other));
    assert_ok(api.cuGraphDestroy(same));
    assert_ok(api.cuGraphDestroy(graph));
}

static void instantiating(void **state) {
    (void)state;
    CUgraph graph = create();
    CUgraphExec exec;
    cuuint64_t flags = 99;
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY};
    assert_ok(api.cuGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    assert_ok(api.cuGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    assert_ok(api.cuGraphUpload(exec, NULL));
    assert_ok(api.cuGraphLaunch(exec, NULL)); /* of nothing */
    assert_int_equal(api.cuGraphLaunch(exec, (CUstream)graph), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, graph, 0x100), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphInstantiateWithFlags(NULL, graph, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
                     CUDA_ERROR_NOT_SUPPORTED);
    assert_ok(api.cuGraphDestroy(graph));
}

static void user_objects(void **state) {
    (void)state;
    int freed = 0;
    CUuserObject object;
    CUgraph graph = create();
    assert_ok(api.cuUserObjectCreate(&object, &freed, add_one, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    assert_ok(api.cuUserObjectRetain(object, 2));
    assert_ok(api.cuUserObjectRelease(object, 2));
    assert_int_equal(api.cuUserObjectRelease(object, 2), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    assert_int_equal(api.cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphRetainUserObject(graph, object, 2, 0));
    assert_ok(api.cuGraphReleaseUserObject(graph, object, 2));
    assert_int_equal(api.cuGraphReleaseUserObject(graph, object, 2), CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphDestroy(graph));
    assert_int_equal(freed, 0);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_int_equal(freed, 1);
    assert_int_equal(api.cuUserObjectRetain(object, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, add_one, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, NULL, 1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, add_one, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

static void dot(void **state) {
    (void)state;
    CUgraph graph = create();
    CUgraphNode node = add_store(graph, NULL, 0, 0, 1), empty;
    assert_ok(api.cuGraphAddEmptyNode(&empty, graph, &node, 1));
    assert_ok(api.cuGraphDebugDotPrint(graph, api_path("graph_test.dot"), 0));
    char *text = api_read("graph_test.dot", NULL);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "store_at"));
    assert_non_null(strstr(text, "EMPTY"));
    assert_non_null(strstr(text, " -> "));
    free(text);
    assert_int_equal(api.cuGraphDebugDotPrint(graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphDebugDotPrint(graph, api_path("no/such/folder"), 0),
                     CUDA_ERROR_OPERATING_SYSTEM);
    assert_ok(api.cuGraphDestroy(graph));
    (void)remove(api_path("graph_test.dot"));
}

/* What is left goes with the driver. */
static void left_over(void **state) {
    (void)state;
    CUgraph graph = create();
    add_store(graph, NULL, 0, 0, 1);
    (void)instantiate(graph);
}

/* A kernel's fault stops what comes after it, and is told by the next call. */
static void faults(void **state) {
    (void)state;
    int calls = 0;
    CUcontext context;
    CUgraph graph = create();
    CUmodule loaded;
    CUgraphNode node, host;
    char *text = api_read("kernels.ptx", NULL);
    assert_ok(api.context_create(&context, 0, 0));
    assert_ok(api.cuModuleLoadData(&loaded, text));
    free(text);
    CUDA_KERNEL_NODE_PARAMS params = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    assert_ok(api.cuModuleGetFunction(&params.func, loaded, "stop_here"));
    assert_ok(api.cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    CUDA_HOST_NODE_PARAMS after = {.fn = add_one, .userData = &calls};
    assert_ok(api.cuGraphAddHostNode(&host, graph, &node, 1, &after));
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_int_equal(calls, 0);
    assert_int_not_equal(api.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_int_not_equal(api.cuGraphLaunch(exec, NULL), CUDA_SUCCESS);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuCtxDestroy(context));
    assert_ok(api.cuCtxSetCurrent(api_context));
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
        cmocka_unit_test(structure),      cmocka_unit_test(edge_data),    cmocka_unit_test(order),
        cmocka_unit_test(kernel_nodes),   cmocka_unit_test(unloaded),     cmocka_unit_test(copies_and_fills),
        cmocka_unit_test(host_and_child), cmocka_unit_test(events),       cmocka_unit_test(memory),
        cmocka_unit_test(words),          cmocka_unit_test(any_node),     cmocka_unit_test(updates),
        cmocka_unit_test(instantiating),  cmocka_unit_test(user_objects), cmocka_unit_test(dot),
        cmocka_unit_test(left_over),      cmocka_unit_test(faults),       cmocka_unit_test(pools),
    };
    return cmocka_run_group_tests(tests, setup, api_teardown);
}
