// Graphs and stream capture, as a program of the runtime API has them.
#include <cstring>

#include "say.h"

__device__ int variable[2];

__global__ void add(int *to, int value) {
    *to += value;
}

__global__ void multiply(int *to, int value) {
    *to *= value;
}

static int *device;
static int calls;

static void CUDART_CB called(void *argument) {
    ++*(int *)argument;
}

static int read() {
    int value = -1;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

static void captured() {
    cudaStream_t stream, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    unsigned long long id;
    size_t count = 0, edges = 0;
    int zero = 0, *temporary;
    SAY(cudaStreamCreate(&stream));
    SAY(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    SAY(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    SAY(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    SAY(cudaMemcpyAsync(device, &zero, sizeof zero, cudaMemcpyHostToDevice, stream));
    add<<<1, 1, 0, stream>>>(device, 3);
    SAY_LAUNCH("captured");
    SAY(cudaEventRecord(fork, stream));
    SAY(cudaStreamWaitEvent(other, fork, 0));
    multiply<<<1, 1, 0, other>>>(device, 5);
    SAY(cudaLaunchHostFunc(other, called, &calls));
    SAY(cudaEventRecord(join, other));
    SAY(cudaMallocAsync((void **)&temporary, 64, stream));
    SAY(cudaMemsetAsync(temporary, 0, 64, stream));
    SAY(cudaFreeAsync(temporary, stream));
    SAY(cudaStreamWaitEvent(stream, join, 0));
    SAY(cudaMemcpyToSymbolAsync(variable, device, sizeof(int), 4, cudaMemcpyDeviceToDevice, stream));
    SAY(cudaStreamIsCapturing(other, &status));
    printf("%d\n", status);
    SAY(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, NULL, NULL, &count));
    printf("%d %d %zu\n", status, id != 0, count);
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaGraphGetNodes(graph, NULL, &count));
    SAY(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    printf("%zu nodes, %zu edges, %d called, %d\n", count, edges, calls, read());
    SAY(cudaGraphInstantiate(&exec, graph, 0));
    SAY(cudaGraphUpload(exec, stream));
    SAY(cudaGraphLaunch(exec, stream));
    SAY(cudaGraphLaunch(exec, stream));
    SAY(cudaStreamSynchronize(stream));
    int copy = 0;
    SAY(cudaMemcpyFromSymbol(&copy, variable, sizeof copy, 4));
    printf("%d %d %d\n", calls, read(), copy);
    SAY(cudaEventQuery(join));
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphDestroy(graph));
    SAY(cudaEventDestroy(fork));
    SAY(cudaEventDestroy(join));
    SAY(cudaStreamDestroy(stream));
    SAY(cudaStreamDestroy(other));
}

static cudaGraph_t two_kernels(void *first, int a, void *second, int b, cudaGraphNode_t *nodes) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    void *arguments[] = {&device, &a};
    cudaKernelNodeParams params = {};
    params.func = first;
    params.gridDim = params.blockDim = dim3(1, 1, 1);
    params.kernelParams = arguments;
    SAY(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &params));
    params.func = second;
    arguments[1] = &b;
    SAY(cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &params));
    return graph;
}

static void built() {
    cudaGraphNode_t nodes[2], copy, fill, host, child, found, any;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t graph = two_kernels((void *)add, 3, (void *)multiply, 4, nodes), clone, other;
    cudaMemsetParams zero = {};
    zero.dst = device;
    zero.elementSize = 4;
    zero.width = zero.height = 1;
    SAY(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zero));
    SAY(cudaGraphAddDependencies(graph, &fill, &nodes[0], NULL, 1));
    int result = 0, source = 100;
    SAY(cudaGraphAddMemcpyNode1D(&copy, graph, &nodes[1], 1, &result, device, 4, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {called, &calls};
    SAY(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
    SAY(cudaGraphInstantiate(&exec, graph, 0));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaDeviceSynchronize());
    printf("%d %d\n", result, calls);
    cudaKernelNodeParams params;
    SAY(cudaGraphKernelNodeGetParams(nodes[1], &params));
    printf("%d %d\n", params.func == (void *)multiply, *(int *)params.kernelParams[1]);
    int value = 10;
    void *arguments[] = {&device, &value};
    params.kernelParams = arguments;
    SAY(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &params));
    params.func = (void *)add;
    SAY(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params));
    SAY(cudaGraphLaunch(exec, 0));
    printf("%d\n", read());
    cudaMemcpy3DParms linear;
    SAY(cudaGraphMemcpyNodeGetParams(copy, &linear));
    printf("%d %zu %d\n", linear.srcPtr.ptr == device, linear.extent.width, linear.kind);
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, &source, device, 4, cudaMemcpyDeviceToHost));
    SAY(cudaGraphNodeSetEnabled(exec, fill, 0));
    SAY(cudaGraphLaunch(exec, 0));
    printf("%d\n", source);
    // Updated as a whole.
    SAY(cudaGraphClone(&clone, graph));
    SAY(cudaGraphNodeFindInClone(&found, nodes[0], clone));
    SAY(cudaGraphKernelNodeSetParams(found, &params));
    SAY(cudaGraphExecUpdate(exec, clone, &info));
    printf("%d\n", info.result);
    cudaGraphNode_t more[2];
    other = two_kernels((void *)add, 1, (void *)add, 2, more);
    SAY(cudaGraphExecUpdate(exec, other, &info));
    printf("%d\n", info.result);
    SAY(cudaGraphExecDestroy(exec));
    // A child, and nodes by the one function for all kinds.
    SAY(cudaGraphAddChildGraphNode(&child, other, &more[1], 1, graph));
    cudaGraphNodeParams anything = {};
    anything.type = cudaGraphNodeTypeKernel;
    anything.kernel.func = (void *)add;
    anything.kernel.gridDim = anything.kernel.blockDim = dim3(1, 1, 1);
    anything.kernel.kernelParams = arguments;
    SAY(cudaGraphAddNode(&any, other, &child, NULL, 1, &anything));
    anything = {};
    anything.type = cudaGraphNodeTypeMemset;
    anything.memset.dst = device + 1;
    anything.memset.value = 77;
    anything.memset.elementSize = 4;
    anything.memset.width = anything.memset.height = 1;
    SAY(cudaGraphAddNode(&any, other, &any, NULL, 1, &anything));
    cudaGraphNode_t symbol;
    SAY(cudaGraphAddMemcpyNodeToSymbol(&symbol, other, &any, 1, variable, device, 8, 0,
                                       cudaMemcpyDeviceToDevice));
    SAY(cudaGraphInstantiateWithFlags(&exec, other, 0));
    SAY(cudaGraphLaunch(exec, 0));
    int pair[2];
    SAY(cudaMemcpyFromSymbol(pair, variable, sizeof pair));
    printf("%d %d\n", pair[0], pair[1]);
    cudaGraphNodeType type;
    SAY(cudaGraphNodeGetType(child, &type));
    printf("%d\n", type);
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphDestroy(other));
    SAY(cudaGraphDestroy(clone));
    SAY(cudaGraphDestroy(graph));
}

static void wrong() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    void *memory;
    int value;
    SAY(cudaStreamCreate(&stream));
    SAY(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SAY(cudaMalloc(&memory, 16));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SAY(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, stream>>>(device, 3);
    SAY(cudaDeviceSynchronize());
    SAY(cudaStreamEndCapture(stream, &graph));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("%d\n", mode);
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    SAY(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams params = {};
    params.func = (void *)wrong;
    SAY(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    SAY(cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    SAY(cudaGraphAddHostNode(&node, graph, NULL, 0, NULL));
    SAY(cudaGraphInstantiate(&exec, NULL, 0));
    SAY(cudaGraphLaunch(NULL, stream));
    SAY(cudaGraphDestroy(graph));
    SAY(cudaStreamDestroy(stream));
}

int main() {
    SAY(cudaMalloc(&device, 2 * sizeof *device));
    SAY(cudaMemset(device, 0, 2 * sizeof *device));
    captured();
    calls = 0;
    built();
    wrong();
    SAY(cudaFree(device));
    return 0;
}
