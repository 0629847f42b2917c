/* Code that the program loads itself, and access to the driver's functions. */
#include "sim/cudart/runtime.h"

static CUresult load(cudaLibrary_t *library, const void *code, const char *file,
                     enum cudaJitOption *jitOptions, void **jitOptionsValues, unsigned numJitOptions,
                     enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                     unsigned numLibraryOptions) {
    CUresult error = runtime_enter();
    if (error)
        return error;
    /* Both kinds of options have the driver's numbers. */
    CUjit_option *jit = (CUjit_option *)(void *)jitOptions;
    CUlibraryOption *options = (CUlibraryOption *)(void *)libraryOptions;
    CUlibrary *out = (CUlibrary *)library;
    return file ? cuLibraryLoadFromFile(out, file, jit, jitOptionsValues, numJitOptions, options,
                                        libraryOptionValues, numLibraryOptions)
                : cuLibraryLoadData(out, code, jit, jitOptionsValues, numJitOptions, options,
                                    libraryOptionValues, numLibraryOptions);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
                                void **jitOptionsValues, unsigned int numJitOptions,
                                enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                unsigned int numLibraryOptions) {
    return runtime_driver_result(load(library, code, NULL, jitOptions, jitOptionsValues, numJitOptions,
                                      libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions) {
    if (!fileName)
        return runtime_result(cudaErrorInvalidValue);
    return runtime_driver_result(load(library, NULL, fileName, jitOptions, jitOptionsValues, numJitOptions,
                                      libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    CUresult error = runtime_enter();
    if (error)
        return runtime_driver_result(error);
    runtime_forget_library((CUlibrary)library);
    return runtime_driver_result(cuLibraryUnload((CUlibrary)library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuLibraryGetKernel((CUkernel *)pKernel, (CUlibrary)library, name);
    if (error)
        return runtime_driver_result(error);
    return runtime_result(runtime_know_kernel((CUkernel)*pKernel));
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuLibraryGetGlobal((CUdeviceptr *)(void *)dptr, bytes, (CUlibrary)library, name);
    return runtime_driver_result(error);
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuLibraryGetManaged((CUdeviceptr *)(void *)dptr, bytes, (CUlibrary)library, name);
    return runtime_driver_result(error);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuLibraryGetKernelCount(count, (CUlibrary)lib));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib) {
    unsigned count = 0;
    CUresult error = runtime_enter();
    if (!error)
        error = cuLibraryEnumerateKernels((CUkernel *)kernels, numKernels, (CUlibrary)lib);
    if (!error)
        error = cuLibraryGetKernelCount(&count, (CUlibrary)lib);
    cudaError_t known = (cudaError_t)error;
    for (unsigned i = 0; !known && i < numKernels && i < count; i++)
        known = runtime_know_kernel((CUkernel)kernels[i]);
    return runtime_result(known);
}

/* ---------------------------------------------------------------- the driver's functions */

static cudaError_t entry_point(const char *symbol, void **function, unsigned version,
                               unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
    CUresult error = runtime_initialize();
    if (error)
        return runtime_driver_result(error);
    if (!symbol || !function)
        return runtime_result(cudaErrorInvalidValue);
    CUdriverProcAddressQueryResult found;
    error = cuGetProcAddress(symbol, function, (int)version, flags, &found);
    if (error)
        return runtime_driver_result(error);
    if (status) {
        *status = (enum cudaDriverEntryPointQueryResult)found;
        return cudaSuccess;
    }
    return runtime_result(found == CU_GET_PROC_ADDRESS_SUCCESS ? cudaSuccess : cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *driverStatus) {
    return entry_point(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus) {
    return entry_point(symbol, funcPtr, cudaVersion, flags, driverStatus);
}

cudaError_t cudaDriverGetVersion(int *driverVersion) {
    return runtime_driver_result(cuDriverGetVersion(driverVersion));
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
    if (!runtimeVersion)
        return runtime_result(cudaErrorInvalidValue);
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}

/* Declarations of the profiler headers. */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

cudaError_t cudaProfilerStart(void) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuProfilerStart());
}

cudaError_t cudaProfilerStop(void) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuProfilerStop());
}
