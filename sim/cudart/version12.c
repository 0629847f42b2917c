/* Functions whose parameters, or whose structures, were different in CUDA 12.
 *
 * A program built with CUDA 12 imports them under the version node libcudart.so.12.  CUDA 12's structures are
 * defined here because the installed header is CUDA 13's. */
#include <string.h>

#include "sim/cudart/properties.h"
#include "sim/cudart/runtime.h"

/* ---------------------------------------------------------------- properties */

struct device_prop_v12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
    int computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2];
    int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3];
    int maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
    int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int reserved[63];
};
_Static_assert(sizeof(struct device_prop_v12) == 1032, "as CUDA 12's header says");
_Static_assert(offsetof(struct device_prop_v12, l2CacheSize) == 616, "as CUDA 12's header says");

/* Removed in CUDA 13. */
#define OLDER_MAP(X)                                                                                         \
    X(clockRate, CLOCK_RATE)                                                                                 \
    X(deviceOverlap, GPU_OVERLAP)                                                                            \
    X(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT)                                                         \
    X(computeMode, COMPUTE_MODE)                                                                             \
    X(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH)                                                    \
    X(memoryClockRate, MEMORY_CLOCK_RATE)                                                                    \
    X(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)

static CUresult fill(struct device_prop_v12 *out, int device, size_t size) {
    memset(out, 0, size);
    CUresult error = cuDeviceGetName(out->name, sizeof out->name, device);
    if (!error)
        error = cuDeviceGetUuid((CUuuid *)(void *)&out->uuid, device);
    if (!error)
        error = cuDeviceTotalMem(&out->totalGlobalMem, device);
    RUNTIME_PROPERTY_MAP(RUNTIME_FILL_PROPERTY)
    OLDER_MAP(RUNTIME_FILL_PROPERTY)
    return error;
}

cudaError_t cudaGetDeviceProperties_v2(struct device_prop_v12 *prop, int device);
cudaError_t cudaGetDeviceProperties_v2(struct device_prop_v12 *prop, int device) {
    CUresult error = runtime_initialize();
    if (!error && !prop)
        error = CUDA_ERROR_INVALID_VALUE;
    return runtime_driver_result(error ? error : fill(prop, device, sizeof *prop));
}

/* CUDA 11's structure ended after reservedSharedMemPerBlock.  In CUDA 12 the plain name still returned it. */
cudaError_t rt_cudaGetDeviceProperties_v12(void *prop, int device);
cudaError_t rt_cudaGetDeviceProperties_v12(void *prop, int device) {
    struct device_prop_v12 whole;
    CUresult error = runtime_initialize();
    if (!error && !prop)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = fill(&whole, device, sizeof whole);
    if (!error)
        memcpy(prop, &whole, offsetof(struct device_prop_v12, hostRegisterSupported));
    return runtime_driver_result(error);
}

/* ---------------------------------------------------------------- pointers */

struct pointer_attributes_v12 {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

cudaError_t rt_cudaPointerGetAttributes_v12(struct pointer_attributes_v12 *attributes, const void *ptr);
cudaError_t rt_cudaPointerGetAttributes_v12(struct pointer_attributes_v12 *attributes, const void *ptr) {
    struct cudaPointerAttributes all;
    cudaError_t error = cudaPointerGetAttributes(attributes ? &all : NULL, ptr);
    if (!error)
        memcpy(attributes, &all, sizeof *attributes);
    return error;
}

/* ---------------------------------------------------------------- managed memory */

/* device: a device's number, or cudaCpuDeviceId. */
static struct cudaMemLocation location_of(int device) {
    return device == cudaCpuDeviceId
               ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
               : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

cudaError_t rt_cudaMemAdvise_v12(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device);
cudaError_t rt_cudaMemAdvise_v12(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(devPtr, count, advice, location_of(device));
}

cudaError_t rt_cudaMemPrefetchAsync_v12(const void *devPtr, size_t count, int dstDevice, cudaStream_t stream);
cudaError_t rt_cudaMemPrefetchAsync_v12(const void *devPtr, size_t count, int dstDevice,
                                        cudaStream_t stream) {
    return cudaMemPrefetchAsync(devPtr, count, location_of(dstDevice), 0, stream);
}

cudaError_t rt_cudaMemPrefetchAsync_ptsz_v12(const void *devPtr, size_t count, int dstDevice,
                                             cudaStream_t stream);
cudaError_t rt_cudaMemPrefetchAsync_ptsz_v12(const void *devPtr, size_t count, int dstDevice,
                                             cudaStream_t stream) {
    return cudaMemPrefetchAsync(devPtr, count, location_of(dstDevice), 0, runtime_per_thread(stream));
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location);
cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) {
    return cudaMemAdvise(devPtr, count, advice, location);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
                                    unsigned flags, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
                                    unsigned flags, cudaStream_t stream) {
    return cudaMemPrefetchAsync(devPtr, count, location, flags, stream);
}

cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *devPtr, size_t count, struct cudaMemLocation location,
                                         unsigned flags, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *devPtr, size_t count, struct cudaMemLocation location,
                                         unsigned flags, cudaStream_t stream) {
    return cudaMemPrefetchAsync(devPtr, count, location, flags, runtime_per_thread(stream));
}

/* ---------------------------------------------------------------- textures */

/* CUDA 12's structure ends with the largest member of its union. */
cudaError_t rt_cudaGetTextureObjectResourceDesc_v12(void *pResDesc, cudaTextureObject_t texObject);
cudaError_t rt_cudaGetTextureObjectResourceDesc_v12(void *pResDesc, cudaTextureObject_t texObject) {
    struct cudaResourceDesc all;
    cudaError_t error = cudaGetTextureObjectResourceDesc(pResDesc ? &all : NULL, texObject);
    if (!error)
        memcpy(pResDesc, &all, offsetof(struct cudaResourceDesc, res) + sizeof all.res.pitch2D);
    return error;
}

/* ---------------------------------------------------------------- other names */

/* The last version of CUDA 12. */
cudaError_t rt_cudaRuntimeGetVersion_v12(int *runtimeVersion);
cudaError_t rt_cudaRuntimeGetVersion_v12(int *runtimeVersion) {
    if (!runtimeVersion)
        return runtime_result(cudaErrorInvalidValue);
    *runtimeVersion = 12090;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(ms, start, end);
}

cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadExit(void) {
    return cudaDeviceReset();
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) {
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) {
    return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) {
    return cudaDeviceSetCacheConfig(config);
}
