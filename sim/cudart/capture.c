/* Stream capture: forwarded to the driver. */
#include "sim/cudart/runtime.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                          enum cudaStreamCaptureMode mode) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuStreamBeginCaptureToGraph(stream, graph, dependencies,
                                            (const CUgraphEdgeData *)(const void *)dependencyData,
                                            numDependencies, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamEndCapture(stream, pGraph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)(void *)pCaptureStatus));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out,
                                     const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuStreamGetCaptureInfo(stream, (CUstreamCaptureStatus *)(void *)captureStatus_out,
                                       (cuuint64_t *)(void *)id_out, graph_out, dependencies_out,
                                       (const CUgraphEdgeData **)(void *)edgeData_out, numDependencies_out));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *dependencyData,
                                                size_t numDependencies, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuStreamUpdateCaptureDependencies(stream, dependencies,
                                                  (const CUgraphEdgeData *)(const void *)dependencyData,
                                                  numDependencies, flags));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)(void *)mode));
}
