/* Graphs: forwarded to the driver. */
#include "sim/cudart/runtime.h"

/* The structures are the driver's under other names. */
_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "laid out alike");
_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS), "laid out alike");
_Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo),
               "laid out alike");

static CUgraphEdgeData *data_of(const cudaGraphEdgeData *data) {
    return (CUgraphEdgeData *)(uintptr_t)data;
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphCreate(pGraph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphDestroy(graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphClone(pGraphClone, originalGraph));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphNodeFindInClone(pNode, originalNode, clonedGraph));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphNodeGetType(node, (CUgraphNodeType *)(void *)pType));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphGetNodes(graph, nodes, numNodes));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphGetRootNodes(graph, pRootNodes, pNumRootNodes));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *numEdges) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error
                                       : cuGraphGetEdges_v2(graph, from, to, data_of(edgeData), numEdges));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData, size_t *pNumDependencies) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphNodeGetDependencies_v2(node, pDependencies, data_of(edgeData), pNumDependencies));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                           cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error
                                       : cuGraphNodeGetDependentNodes_v2(
                                             node, pDependentNodes, data_of(edgeData), pNumDependentNodes));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                     size_t numDependencies) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphAddDependencies_v2(graph, from, to, data_of(edgeData), numDependencies));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                        size_t numDependencies) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphRemoveDependencies_v2(graph, from, to, data_of(edgeData), numDependencies));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphDestroyNode(node));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphDebugDotPrint(graph, path, flags));
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuUserObjectCreate(object_out, ptr, destroy, initialRefcount, flags));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuUserObjectRetain(object, count));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuUserObjectRelease(object, count));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                      unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphRetainUserObject(graph, object, count, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphReleaseUserObject(graph, object, count));
}

/* ---------------------------------------------------------------- executable graphs */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphInstantiateWithParams(pGraphExec, graph,
                                             (CUDA_GRAPH_INSTANTIATE_PARAMS *)(void *)instantiateParams));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphExecGetFlags(graphExec, (cuuint64_t *)(void *)flags));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphExecUpdate(hGraphExec, hGraph, (CUgraphExecUpdateResultInfo *)(void *)resultInfo));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphUpload(graphExec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphLaunch(graphExec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphExecDestroy(graphExec));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int *isEnabled) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled));
}

/* ---------------------------------------------------------------- memory of graphs */

cudaError_t cudaDeviceGraphMemTrim(int device) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuDeviceGraphMemTrim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}
