/* Executable graphs: instantiated, updated, stopped by a fault. */
#include "tests/cuda/graphs.h"

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
    CUgraph graph = create_graph(), same = create_graph(), other;
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
    /* One more node, other edges, another kind. */
    add_store(same, NULL, 0, 2, 30);
    assert_int_equal(update(exec, same, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_null(wrong);
    other = create_graph();
    add_store(other, NULL, 0, 0, 5);
    b = add_store(other, NULL, 0, 1, 6);
    assert_int_equal(update(exec, other, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_ptr_equal(wrong, b);
    assert_ok(api.cuGraphDestroy(other));
    other = create_graph();
    a = add_store(other, NULL, 0, 0, 5);
    assert_ok(api.cuGraphAddEmptyNode(&b, other, &a, 1));
    assert_int_equal(update(exec, other, &wrong), CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_ptr_equal(wrong, b);
    assert_ok(api.cuGraphDestroy(other));
    other = create_graph();
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
    CUgraph graph = create_graph();
    CUgraphExec exec;
    cuuint64_t flags = 99;
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY};
    assert_ok(api.cuGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    assert_ok(api.cuGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    assert_ok(api.cuGraphUpload(exec, NULL));
    assert_ok(api.cuGraphLaunch(exec, NULL)); /* an empty graph */
    assert_int_equal(api.cuGraphLaunch(exec, (CUstream)graph), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, graph, 0x100), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphInstantiateWithFlags(NULL, graph, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
                     CUDA_ERROR_NOT_SUPPORTED);
    assert_ok(api.cuGraphDestroy(graph));
}

/* A kernel's fault stops the following nodes, and the next call reports it. */
static void faults(void **state) {
    (void)state;
    int calls = 0;
    CUcontext context;
    CUgraph graph = create_graph();
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates),
        cmocka_unit_test(instantiating),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, graphs_setup, api_teardown);
}
