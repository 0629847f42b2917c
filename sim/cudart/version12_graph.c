/* Graph functions with other parameters in CUDA 12, whose second versions (_v2) handle edges with data. */
#include "sim/cudart/runtime.h"

cudaError_t rt_cudaGraphGetEdges_v12(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     size_t *numEdges);
cudaError_t rt_cudaGraphGetEdges_v12(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     size_t *numEdges) {
    return cudaGraphGetEdges(graph, from, to, NULL, numEdges);
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edgeData, size_t *numEdges);
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edgeData, size_t *numEdges) {
    return cudaGraphGetEdges(graph, from, to, edgeData, numEdges);
}

cudaError_t rt_cudaGraphNodeGetDependencies_v12(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t rt_cudaGraphNodeGetDependencies_v12(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    return cudaGraphNodeGetDependencies(node, nodes, NULL, count);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                            cudaGraphEdgeData *edgeData, size_t *count);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                            cudaGraphEdgeData *edgeData, size_t *count) {
    return cudaGraphNodeGetDependencies(node, nodes, edgeData, count);
}

cudaError_t rt_cudaGraphNodeGetDependentNodes_v12(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  size_t *count);
cudaError_t rt_cudaGraphNodeGetDependentNodes_v12(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  size_t *count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, NULL, count);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                              cudaGraphEdgeData *edgeData, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                              cudaGraphEdgeData *edgeData, size_t *count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, edgeData, count);
}

cudaError_t rt_cudaGraphAddDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count);
cudaError_t rt_cudaGraphAddDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, NULL, count);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                        size_t count);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                        size_t count) {
    return cudaGraphAddDependencies(graph, from, to, edgeData, count);
}

cudaError_t rt_cudaGraphRemoveDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count);
cudaError_t rt_cudaGraphRemoveDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                           size_t count);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                           size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, edgeData, count);
}

cudaError_t rt_cudaGraphAddNode_v12(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    struct cudaGraphNodeParams *params);
cudaError_t rt_cudaGraphAddNode_v12(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    struct cudaGraphNodeParams *params) {
    return cudaGraphAddNode(node, graph, dependencies, NULL, count, params);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, size_t count,
                                struct cudaGraphNodeParams *params);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, size_t count,
                                struct cudaGraphNodeParams *params) {
    return cudaGraphAddNode(node, graph, dependencies, edgeData, count, params);
}

/* ---------------------------------------------------------------- capture */

cudaError_t rt_cudaStreamGetCaptureInfo_v12(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id);
cudaError_t rt_cudaStreamGetCaptureInfo_v12(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id) {
    return cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, NULL, count);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies,
                                        const cudaGraphEdgeData **edgeData, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies,
                                        const cudaGraphEdgeData **edgeData, size_t *count) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, edgeData, count);
}

cudaError_t rt_cudaStreamUpdateCaptureDependencies_v12(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                       size_t count, unsigned flags);
cudaError_t rt_cudaStreamUpdateCaptureDependencies_v12(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                       size_t count, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, NULL, count, flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *edgeData, size_t count,
                                                   unsigned flags);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *edgeData, size_t count,
                                                   unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, edgeData, count, flags);
}

cudaError_t rt_cudaStreamGetCaptureInfo_ptsz_v12(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                 unsigned long long *id);
cudaError_t rt_cudaStreamGetCaptureInfo_ptsz_v12(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                 unsigned long long *id) {
    return cudaStreamGetCaptureInfo(runtime_per_thread(stream), status, id, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **dependencies, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **dependencies, size_t *count) {
    return cudaStreamGetCaptureInfo(runtime_per_thread(stream), status, id, graph, dependencies, NULL, count);
}

cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **dependencies,
                                             const cudaGraphEdgeData **edgeData, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **dependencies,
                                             const cudaGraphEdgeData **edgeData, size_t *count) {
    return cudaStreamGetCaptureInfo(runtime_per_thread(stream), status, id, graph, dependencies, edgeData,
                                    count);
}

cudaError_t rt_cudaStreamUpdateCaptureDependencies_ptsz_v12(cudaStream_t stream,
                                                            cudaGraphNode_t *dependencies, size_t count,
                                                            unsigned flags);
cudaError_t rt_cudaStreamUpdateCaptureDependencies_ptsz_v12(cudaStream_t stream,
                                                            cudaGraphNode_t *dependencies, size_t count,
                                                            unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(runtime_per_thread(stream), dependencies, NULL, count, flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                        const cudaGraphEdgeData *edgeData, size_t count,
                                                        unsigned flags);
cudaError_t cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                        const cudaGraphEdgeData *edgeData, size_t count,
                                                        unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(runtime_per_thread(stream), dependencies, edgeData, count,
                                               flags);
}
