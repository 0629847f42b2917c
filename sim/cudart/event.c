/* Events: forwarded to the driver. */
#include "sim/cudart/runtime.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventCreate(event, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventDestroy(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventRecord(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventQuery(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventSynchronize(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuEventElapsedTime(ms, start, end));
}
