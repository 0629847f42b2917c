/* The profiler API: there is no profiler to start or configure. */
#include "sim/cuda/context/profiler.h"

#include <string.h>

#include "sim/cuda/driver.h"

ENTRY_EXPORT CUresult cuProfilerStart(void);
ENTRY_EXPORT CUresult cuProfilerStop(void);

CUresult cuProfilerStart(void) {
    CUcontext context;
    return context_enter(&context);
}

CUresult cuProfilerStop(void) {
    CUcontext context;
    return context_enter(&context);
}

/* Gives the answer of an H200's driver.  cudaProfiler.h has an enumeration for the mode. */
ENTRY_EXPORT CUresult cuProfilerInitialize(const char *configFile, const char *outputFile, int outputMode);
CUresult cuProfilerInitialize(const char *configFile, const char *outputFile, int outputMode) {
    (void)configFile, (void)outputFile, (void)outputMode;
    return CUDA_ERROR_NOT_SUPPORTED;
}

void *profiler_find(const char *name) {
    if (strcmp(name, "cuProfilerInitialize") == 0)
        return (void *)cuProfilerInitialize;
    if (strcmp(name, "cuProfilerStart") == 0)
        return (void *)cuProfilerStart;
    return strcmp(name, "cuProfilerStop") == 0 ? (void *)cuProfilerStop : NULL;
}
