/* Stream-ordered allocation and memory pools: forwarded to the driver. */
#include "sim/cudart/runtime.h"

static CUdeviceptr *out_address(void **pointer) {
    return (CUdeviceptr *)(void *)pointer;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemAllocAsync(out_address(devPtr), size, hStream));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemAllocFromPoolAsync(out_address(ptr), size, memPool, stream);
    return runtime_driver_result(error);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemFreeAsync((CUdeviceptr)(uintptr_t)devPtr, hStream));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceGetDefaultMemPool(memPool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceGetMemPool(memPool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuDeviceSetMemPool(device, memPool));
}

#if CUDA_VERSION >= 13000
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemGetDefaultMemPool(memPool, (CUmemLocation *)(void *)location, (CUmemAllocationType)type);
    return runtime_driver_result(error);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemGetMemPool(memPool, (CUmemLocation *)(void *)location, (CUmemAllocationType)type);
    return runtime_driver_result(error);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t memPool) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemSetMemPool((CUmemLocation *)(void *)location, (CUmemAllocationType)type, memPool);
    return runtime_driver_result(error);
}
#endif

/* The structures and enumerations of pools are the driver's under other names. */
_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "laid out alike");
_Static_assert(offsetof(struct cudaMemPoolProps, maxSize) == offsetof(CUmemPoolProps, maxSize),
               "laid out alike");

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemPoolCreate(memPool, (const CUmemPoolProps *)(const void *)poolProps);
    return runtime_driver_result(error);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuMemPoolDestroy(memPool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
    CUresult error = runtime_initialize();
    return runtime_driver_result(error ? error : cuMemPoolTrimTo(memPool, minBytesToKeep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value);
    return runtime_driver_result(error);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value);
    return runtime_driver_result(error);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemPoolSetAccess(memPool, (const CUmemAccessDesc *)(const void *)descList, count);
    return runtime_driver_result(error);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuMemPoolGetAccess((CUmemAccess_flags *)(void *)flags, memPool,
                                   (CUmemLocation *)(void *)location);
    return runtime_driver_result(error);
}
