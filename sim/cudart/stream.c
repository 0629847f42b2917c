/* Streams: forwarded to the driver. */
#include "sim/cudart/runtime.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamCreateWithPriority(pStream, flags, priority));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamCreate(pStream, flags));
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
    return cudaStreamCreateWithFlags(pStream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamDestroy(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamQuery(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamWaitEvent(stream, event, flags));
}

/* The callback's error has the driver's number. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                  unsigned int flags) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuStreamAddCallback(stream, (CUstreamCallback)(void (*)(void))callback, userData, flags);
    return runtime_driver_result(error);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuStreamAttachMemAsync(stream, (CUdeviceptr)(uintptr_t)devPtr, length, flags);
    return runtime_driver_result(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamGetPriority(hStream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamGetFlags(hStream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamGetId(hStream, streamId));
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamGetDevice(hStream, device));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuStreamGetAttribute(hStream, (CUstreamAttrID)attr, (CUstreamAttrValue *)(void *)value_out);
    return runtime_driver_result(error);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuStreamSetAttribute(hStream, (CUstreamAttrID)attr,
                                     (const CUstreamAttrValue *)(const void *)value);
    return runtime_driver_result(error);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuStreamCopyAttributes(dst, src));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuCtxGetStreamPriorityRange(leastPriority, greatestPriority);
    return runtime_driver_result(error);
}
