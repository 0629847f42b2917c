/* Devices: count, attributes, limits and peers. */
#include <string.h>

#include "sim/cudart/array.h"
#include "sim/cudart/runtime.h"

cudaError_t cudaGetDeviceCount(int *count) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceGetCount(count));
}

/* The runtime's attributes have the driver's numbers. */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device);
    return runtime_driver_result(error);
}

/* All devices are alike; of such, CUDA prefers the first. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    if (!device || !prop)
        return runtime_result(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *device_arr, int len) {
    int count = 0;
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDeviceGetCount(&count);
    if (error)
        return runtime_driver_result(error);
    if (len < 0 || len > count || (len && !device_arr))
        return runtime_result(cudaErrorInvalidValue);
    for (int i = 0; i < len; i++)
        if (device_arr[i] < 0 || device_arr[i] >= count)
            return runtime_result(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceGetPCIBusId(pciBusId, len, device));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceGetByPCIBusId(device, pciBusId));
}

/* ---------------------------------------------------------------- limits and caches */

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuCtxGetLimit(pValue, (CUlimit)limit));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuCtxGetCacheConfig((CUfunc_cache *)(void *)pCacheConfig);
    return runtime_driver_result(error);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

/* Banks have been 4 bytes wide since Maxwell; another setting has no effect. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig) {
    CUresult error = runtime_enter();
    if (!error && !pConfig)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *pConfig = cudaSharedMemBankSizeFourByte;
    return runtime_driver_result(error);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    CUresult error = runtime_enter();
    if (!error && (unsigned)config > cudaSharedMemBankSizeEightByte)
        error = CUDA_ERROR_INVALID_VALUE;
    return runtime_driver_result(error);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuCtxResetPersistingL2Cache());
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc, int device) {
    CUarray_format format;
    unsigned channels;
    CUresult error = runtime_initialize();
    if (error)
        return runtime_driver_result(error);
    cudaError_t known = fmtDesc ? runtime_format(fmtDesc, &format, &channels) : cudaErrorInvalidValue;
    if (known)
        return runtime_result(known);
    return runtime_driver_result(
        cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format, channels, device));
}

#if CUDA_VERSION >= 13000
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDeviceGetHostAtomicCapabilities(
            capabilities, (const CUatomicOperation *)(const void *)operations, count, device);
    return runtime_driver_result(error);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const enum cudaAtomicOperation *operations, unsigned int count,
                                               int srcDevice, int dstDevice) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDeviceGetP2PAtomicCapabilities(
            capabilities, (const CUatomicOperation *)(const void *)operations, count, srcDevice, dstDevice);
    return runtime_driver_result(error);
}
#endif

/* ---------------------------------------------------------------- peers */

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr, srcDevice, dstDevice);
    return runtime_driver_result(error);
}

/* The peer's primary context.  A device is not its own peer; of_itself is an H200's answer then. */
static CUresult peer(int device, CUresult of_itself, CUcontext *out) {
    CUresult error = runtime_enter();
    if (!error && device == runtime_device())
        error = of_itself;
    return error ? error : runtime_primary(device, out);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    CUcontext context;
    CUresult error = peer(peerDevice, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, &context);
    return runtime_driver_result(error ? error : cuCtxEnablePeerAccess(context, flags));
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
    CUcontext context;
    CUresult error = peer(peerDevice, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, &context);
    return runtime_driver_result(error ? error : cuCtxDisablePeerAccess(context));
}

/* ---------------------------------------------------------------- values */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}
