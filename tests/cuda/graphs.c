#include "tests/cuda/graphs.h"

CUfunction store_at, no_parameters;
CUdeviceptr word;

int graphs_setup(void **state) {
    CUmodule module;
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

int read_word(unsigned index) {
    int value;
    assert_ok(api.cuMemcpyDtoH(&value, word + 4 * index, sizeof value));
    return value;
}

void write_word(unsigned index, int value) {
    assert_ok(api.cuMemcpyHtoD(word + 4 * index, &value, sizeof value));
}

CUgraphNode add_store(CUgraph graph, const CUgraphNode *dependencies, size_t count, unsigned index,
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

CUgraph create_graph(void) {
    CUgraph graph;
    assert_ok(api.cuGraphCreate(&graph, 0));
    return graph;
}

CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec exec;
    assert_ok(api.cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

void launch_once(CUgraph graph) {
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuGraphExecDestroy(exec));
}

size_t count_nodes(CUgraph graph) {
    size_t count = 0;
    assert_ok(api.cuGraphGetNodes(graph, NULL, &count));
    return count;
}

void add_one(void *data) {
    ++*(int *)data;
}
