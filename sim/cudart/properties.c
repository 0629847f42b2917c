/* cudaGetDeviceProperties with CUDA 13's layout. */
#include "sim/cudart/properties.h"

#include <string.h>

#include "sim/cudart/runtime.h"

/* The fields that only this layout has. */
#define NEWER_MAP(X)                                                                                         \
    X(deviceNumaConfig, NUMA_CONFIG)                                                                         \
    X(deviceNumaId, NUMA_ID)                                                                                 \
    X(mpsEnabled, MPS_ENABLED)                                                                               \
    X(hostNumaId, HOST_NUMA_ID)                                                                              \
    X(gpuPciDeviceID, GPU_PCI_DEVICE_ID)                                                                     \
    X(gpuPciSubsystemID, GPU_PCI_SUBSYSTEM_ID)                                                               \
    X(hostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED)

static CUresult fill(struct cudaDeviceProp *out, int device) {
    memset(out, 0, sizeof *out);
    CUresult error = cuDeviceGetName(out->name, sizeof out->name, device);
    if (!error)
        error = cuDeviceGetUuid((CUuuid *)(void *)&out->uuid, device);
    if (!error)
        error = cuDeviceTotalMem(&out->totalGlobalMem, device);
    RUNTIME_PROPERTY_MAP(RUNTIME_FILL_PROPERTY)
    NEWER_MAP(RUNTIME_FILL_PROPERTY)
    return error;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    CUresult error = runtime_initialize();
    if (!error && !prop)
        error = CUDA_ERROR_INVALID_VALUE;
    return runtime_driver_result(error ? error : fill(prop, device));
}
