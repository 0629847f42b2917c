/* Launches: <<<>>> as nvcc compiles it, and the functions that a program calls itself. */
#include "sim/cudart/registration.h"

/* ---------------------------------------------------------------- the configuration of <<<>>> */

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

/* There is more than one only if an argument of a launch launches a kernel itself. */
enum { CONFIGURATIONS = 64 };
static _Thread_local struct configuration configurations[CONFIGURATIONS];
static _Thread_local unsigned configured;

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st *stream) {
    if (configured == CONFIGURATIONS)
        return (unsigned)runtime_result(cudaErrorLaunchOutOfResources);
    configurations[configured++] = (struct configuration){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream) {
    if (!configured)
        return runtime_result(cudaErrorMissingConfiguration);
    const struct configuration *top = &configurations[--configured];
    *gridDim = top->grid;
    *blockDim = top->block;
    *sharedMem = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* ---------------------------------------------------------------- launching */

bool runtime_launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out) {
    _Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "they are the same thing");
    *out = (CUlaunchConfig){
        .gridDimX = config->gridDim.x,
        .gridDimY = config->gridDim.y,
        .gridDimZ = config->gridDim.z,
        .blockDimX = config->blockDim.x,
        .blockDimY = config->blockDim.y,
        .blockDimZ = config->blockDim.z,
        .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
        .hStream = config->stream,
        .attrs = (CUlaunchAttribute *)(void *)config->attrs,
        .numAttrs = config->numAttrs,
    };
    return config->dynamicSmemBytes <= UINT32_MAX;
}

/* The driver would launch the kernel on the stream's device, but the runtime knows the current one alone. */
static CUresult check_stream(cudaStream_t stream) {
    CUcontext current, own;
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return CUDA_SUCCESS;
    CUresult error = cuCtxGetCurrent(&current);
    if (!error)
        error = cuStreamGetCtx(stream, &own);
    return error || own == current ? error : CUDA_ERROR_INVALID_HANDLE;
}

static cudaError_t launch(CUkernel kernel, const cudaLaunchConfig_t *config, void **args) {
    CUlaunchConfig driver;
    if (!runtime_launch_config(config, &driver))
        return cudaErrorInvalidValue;
    CUresult error = check_stream(config->stream);
    if (error)
        return (cudaError_t)error;
    return (cudaError_t)cuLaunchKernelEx(&driver, (CUfunction)kernel, args, NULL);
}

static cudaError_t launch_function(const void *function, const cudaLaunchConfig_t *config, void **args) {
    CUkernel kernel;
    cudaError_t error = runtime_kernel(function, &kernel);
    return runtime_result(error ? error : launch(kernel, config, args));
}

static cudaLaunchConfig_t configuration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    return (cudaLaunchConfig_t){
        .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                             cudaStream_t stream) {
    cudaLaunchConfig_t config = configuration(gridDim, blockDim, sharedMem, stream);
    return launch_function(func, &config, args);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    return config ? launch_function(func, config, args) : runtime_result(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args) {
    if (!config)
        return runtime_result(cudaErrorInvalidValue);
    cudaLaunchConfig_t changed = *config;
    changed.stream = runtime_per_thread(config->stream);
    return launch_function(func, &changed, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream) {
    cudaLaunchConfig_t config = configuration(gridDim, blockDim, sharedMem, stream);
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return launch_function(func, &config, args);
}

/* nvcc's <<<>>> passes this result only to __cudaLaunchKernel. */
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *function) {
    *out = (cudaKernel_t)(void *)runtime_registered(function);
    return runtime_result(*out ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream) {
    CUkernel found;
    if (!kernel)
        return runtime_result(cudaErrorInvalidDeviceFunction);
    cudaError_t error = runtime_registered_kernel((struct symbol *)(void *)kernel, &found);
    cudaLaunchConfig_t config = configuration(gridDim, blockDim, sharedMem, stream);
    return runtime_result(error ? error : launch(found, &config, args));
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                                    size_t sharedMem, cudaStream_t stream) {
    return __cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, runtime_per_thread(stream));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuLaunchHostFunc(stream, fn, userData));
}
