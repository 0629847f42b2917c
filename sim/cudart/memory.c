/* Allocates and frees memory of every kind. */
#include "sim/cudart/runtime.h"

static CUdeviceptr address(const void *pointer) {
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* A size of 0 gives NULL and success. */
cudaError_t cudaMalloc(void **devPtr, size_t size) {
    CUresult error = runtime_enter();
    if (!error && !devPtr)
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return runtime_driver_result(error);
    *devPtr = NULL;
    return runtime_driver_result(size ? cuMemAlloc((CUdeviceptr *)(void *)devPtr, size) : CUDA_SUCCESS);
}

cudaError_t cudaFree(void *devPtr) {
    CUresult error = runtime_enter();
    if (!error && devPtr)
        error = cuMemFree(address(devPtr));
    return runtime_driver_result(error);
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
    return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
    CUresult error = runtime_enter();
    if (!error && !pHost)
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return runtime_driver_result(error);
    *pHost = NULL;
    return runtime_driver_result(size ? cuMemHostAlloc(pHost, size, flags) : CUDA_SUCCESS);
}

cudaError_t cudaFreeHost(void *ptr) {
    CUresult error = runtime_enter();
    if (!error && ptr)
        error = cuMemFreeHost(ptr);
    return runtime_driver_result(error);
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemHostRegister(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemHostUnregister(ptr));
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemHostGetDevicePointer((CUdeviceptr *)(void *)pDevice, pHost, flags);
    return runtime_driver_result(error);
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemHostGetFlags(pFlags, pHost));
}

/* ---------------------------------------------------------------- pitched */

static CUresult allocate_pitched(void **pointer, size_t *pitch, size_t width, size_t height) {
    CUresult error = runtime_enter();
    if (!error && (!pointer || !pitch))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    *pointer = NULL;
    *pitch = 0;
    if (!width || !height)
        return CUDA_SUCCESS;
    return cuMemAllocPitch((CUdeviceptr *)(void *)pointer, pitch, width, height, 4);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    return runtime_driver_result(allocate_pitched(devPtr, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent) {
    size_t rows;
    if (!pitchedDevPtr || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return runtime_result(cudaErrorInvalidValue);
    CUresult error = allocate_pitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
    if (!error) {
        pitchedDevPtr->xsize = extent.width;
        pitchedDevPtr->ysize = extent.height;
    }
    return runtime_driver_result(error);
}

/* ---------------------------------------------------------------- managed */

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemAllocManaged((CUdeviceptr *)(void *)devPtr, size, flags);
    return runtime_driver_result(error);
}

/* CUmemLocation has cudaMemLocation's layout and the same numbers for its kinds. */
static CUmemLocation driver_location(struct cudaMemLocation location) {
    return (CUmemLocation){.type = (CUmemLocationType)location.type, .id = location.id};
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemAdvise(address(devPtr), count, (CUmem_advise)advice, driver_location(location));
    return runtime_driver_result(error);
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemPrefetchAsync(address(devPtr), count, driver_location(location), flags, stream);
    return runtime_driver_result(error);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                      size_t numAttributes, const void *devPtr, size_t count) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemRangeGetAttributes(data, dataSizes, (CUmem_range_attribute *)(void *)attributes,
                                        numAttributes, address(devPtr), count);
    return runtime_driver_result(error);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                     const void *devPtr, size_t count) {
    CUresult error = runtime_enter();
    if (!error)
        error =
            cuMemRangeGetAttribute(data, dataSize, (CUmem_range_attribute)attribute, address(devPtr), count);
    return runtime_driver_result(error);
}

/* ---------------------------------------------------------------- queries */

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemGetInfo(free, total));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr) {
    CUresult error = runtime_enter();
    if (!error && !attributes)
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return runtime_driver_result(error);
    unsigned type = 0, managed = 0;
    int device = cudaInvalidDeviceId;
    CUdeviceptr device_pointer = 0;
    void *host_pointer = NULL;
    CUpointer_attribute names[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER,
    };
    void *values[] = {&type, &managed, &device, &device_pointer, &host_pointer};
    error = cuPointerGetAttributes(sizeof names / sizeof *names, names, values, address(ptr));
    if (error)
        return runtime_driver_result(error);
    *attributes = (struct cudaPointerAttributes){
        .type = managed                        ? cudaMemoryTypeManaged
                : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
                : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                               : cudaMemoryTypeUnregistered,
        .device = device,
        .devicePointer = (void *)(uintptr_t)device_pointer,
        .hostPointer = type ? host_pointer : (void *)(uintptr_t)ptr,
    };
    return cudaSuccess;
}
