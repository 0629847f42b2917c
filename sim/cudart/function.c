/* Kernels: handles, attributes, occupancy. */
#include "sim/cudart/runtime.h"

static CUresult get(CUkernel kernel, CUfunction_attribute attribute, int *out) {
    return cuKernelGetAttribute(out, attribute, kernel, runtime_device());
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
    CUkernel kernel;
    if (!attr)
        return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = runtime_kernel(func, &kernel);
    if (error)
        return runtime_result(error);
    int shared = 0, constant = 0, local = 0;
    *attr = (struct cudaFuncAttributes){0};
    const struct {
        CUfunction_attribute attribute;
        int *out;
    } wanted[] = {
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &shared},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &constant},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attr->maxThreadsPerBlock},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &attr->numRegs},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, &attr->ptxVersion},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &attr->binaryVersion},
        {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &attr->cacheModeCA},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &attr->maxDynamicSharedSizeBytes},
        {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &attr->preferredShmemCarveout},
        {CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, &attr->clusterDimMustBeSet},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &attr->requiredClusterWidth},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &attr->requiredClusterHeight},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &attr->requiredClusterDepth},
        {CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, &attr->clusterSchedulingPolicyPreference},
        {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &attr->nonPortableClusterSizeAllowed},
    };
    CUresult found = CUDA_SUCCESS;
    for (size_t i = 0; !found && i < sizeof wanted / sizeof *wanted; i++)
        found = get(kernel, wanted[i].attribute, wanted[i].out);
    attr->sharedSizeBytes = (size_t)shared;
    attr->constSizeBytes = (size_t)constant;
    attr->localSizeBytes = (size_t)local;
    return runtime_driver_result(found);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(func, &kernel);
    if (error)
        return runtime_result(error);
    return runtime_driver_result(
        cuKernelSetAttribute((CUfunction_attribute)attr, value, kernel, runtime_device()));
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(func, &kernel);
    if (error)
        return runtime_result(error);
    return runtime_driver_result(cuKernelSetCacheConfig(kernel, (CUfunc_cache)cacheConfig, runtime_device()));
}

/* Deprecated, without effect since Maxwell. */
cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(func, &kernel);
    if (!error && (unsigned)config > cudaSharedMemBankSizeEightByte)
        error = cudaErrorInvalidValue;
    return runtime_result(error);
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
    CUkernel kernel;
    if (!name)
        return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = runtime_kernel(func, &kernel);
    return runtime_result(error ? error : (cudaError_t)cuKernelGetName(name, kernel));
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(func, &kernel);
    if (error)
        return runtime_result(error);
    return runtime_driver_result(cuKernelGetParamInfo(kernel, paramIndex, paramOffset, paramSize));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
    CUkernel kernel;
    if (!functionPtr)
        return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = runtime_kernel(symbolPtr, &kernel);
    return runtime_result(error ? error : (cudaError_t)cuKernelGetFunction(functionPtr, kernel));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    CUkernel kernel;
    if (!kernelPtr)
        return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = runtime_kernel(entryFuncAddr, &kernel);
    if (!error)
        error = runtime_know_kernel(kernel);
    if (!error)
        *kernelPtr = (cudaKernel_t)kernel;
    return runtime_result(error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value,
                                            int device) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuKernelSetAttribute((CUfunction_attribute)attr, value, (CUkernel)kernel, device);
    return runtime_driver_result(error);
}

/* ---------------------------------------------------------------- occupancy */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize, size_t dynamicSMemSize,
                                                                   unsigned int flags) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(func, &kernel);
    if (error)
        return runtime_result(error);
    return runtime_driver_result(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (CUfunction)kernel, blockSize, dynamicSMemSize, flags));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                          size_t dynamicSMemSize) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(func, &kernel);
    if (error)
        return runtime_result(error);
    return runtime_driver_result(
        cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (CUfunction)kernel, numBlocks, blockSize));
}

typedef CUresult cluster_query(int *out, CUfunction function, const CUlaunchConfig *config);

static cudaError_t ask_of_clusters(cluster_query *query, int *out, const void *func,
                                   const cudaLaunchConfig_t *config) {
    CUkernel kernel;
    CUlaunchConfig driver;
    if (!config || !runtime_launch_config(config, &driver))
        return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = runtime_kernel(func, &kernel);
    return error ? runtime_result(error) : runtime_driver_result(query(out, (CUfunction)kernel, &driver));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig) {
    return ask_of_clusters(cuOccupancyMaxPotentialClusterSize, clusterSize, func, launchConfig);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig) {
    return ask_of_clusters(cuOccupancyMaxActiveClusters, numClusters, func, launchConfig);
}
