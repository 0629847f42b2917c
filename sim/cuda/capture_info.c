/* cuStreamGetCaptureInfo in its versions: nothing captures. */
#include "sim/cuda/memory.h"

static CUresult answer(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
    CUcontext context;
    CUresult error = stream_enter(stream, &context);
    if (error)
        return error;
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (id)
        *id = 0;
    return CUDA_SUCCESS;
}

#undef cuStreamGetCaptureInfo
ENTRY_EXPORT CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                             cuuint64_t *id_out);
CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                cuuint64_t *id_out) {
    return answer(hStream, captureStatus_out, id_out);
}

ENTRY_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                                cuuint64_t *id_out, CUgraph *graph_out,
                                                const CUgraphNode **dependencies_out,
                                                size_t *numDependencies_out);
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out, size_t *numDependencies_out) {
    (void)graph_out, (void)dependencies_out, (void)numDependencies_out; /* only set while capturing */
    return answer(hStream, captureStatus_out, id_out);
}

#if CUDA_VERSION >= 12030
ENTRY_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                                cuuint64_t *id_out, CUgraph *graph_out,
                                                const CUgraphNode **dependencies_out,
                                                const CUgraphEdgeData **edgeData_out,
                                                size_t *numDependencies_out);
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out) {
    (void)graph_out, (void)dependencies_out, (void)edgeData_out, (void)numDependencies_out;
    return answer(hStream, captureStatus_out, id_out);
}
#endif
