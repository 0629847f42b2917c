/* Memory and events of other processes: forwarded to the driver. */
#include <string.h>

#include "sim/cudart/runtime.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "a handle is the driver's");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle), "a handle is the driver's");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuIpcGetMemHandle((CUipcMemHandle *)(void *)handle, (CUdeviceptr)(uintptr_t)devPtr);
    return runtime_driver_result(error);
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
    CUipcMemHandle driver_handle;
    memcpy(&driver_handle, &handle, sizeof driver_handle);
    CUresult error = runtime_enter();
    if (!error)
        error = cuIpcOpenMemHandle((CUdeviceptr *)(void *)devPtr, driver_handle, flags);
    return runtime_driver_result(error);
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuIpcCloseMemHandle((CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuIpcGetEventHandle((CUipcEventHandle *)(void *)handle, event);
    return runtime_driver_result(error);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    CUipcEventHandle driver_handle;
    memcpy(&driver_handle, &handle, sizeof driver_handle);
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuIpcOpenEventHandle(event, driver_handle));
}
