/* A driver that forwards to the simulator and counts its calls, to prove what the library asks of a driver.
 * Loaded through WIDELOAD_SIM_LIBRARY; the tests find trace_counts() with dlsym.  Functions that are not
 * listed here go to the simulator uncounted. */
#ifndef WIDELOAD_TESTS_TRACING_DRIVER_H
#define WIDELOAD_TESTS_TRACING_DRIVER_H

#include <stdatomic.h>
#include <stdint.h>

#include <cuda.h>

/* Functions that allocate, free, load, wait, copy or launch: name, parameters, arguments. */
#define TRACE_MAP(X)                                                                                         \
    X(cuDevicePrimaryCtxRetain, (CUcontext * a, CUdevice b), (a, b))                                         \
    X(cuDevicePrimaryCtxRelease, (CUdevice a), (a))                                                          \
    X(cuCtxSynchronize, (void), ())                                                                          \
    X(cuCtxResetPersistingL2Cache, (void), ())                                                               \
    X(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * a), (a))                                     \
    X(cuModuleLoadData, (CUmodule * a, const void *b), (a, b))                                               \
    X(cuModuleUnload, (CUmodule a), (a))                                                                     \
    X(cuModuleGetFunction, (CUfunction * a, CUmodule b, const char *c), (a, b, c))                           \
    X(cuFuncGetAttribute, (int *a, CUfunction_attribute b, CUfunction c), (a, b, c))                         \
    X(cuFuncSetAttribute, (CUfunction a, CUfunction_attribute b, int c), (a, b, c))                          \
    X(cuMemAlloc, (CUdeviceptr * a, size_t b), (a, b))                                                       \
    X(cuMemFree, (CUdeviceptr a), (a))                                                                       \
    X(cuMemcpyHtoD, (CUdeviceptr a, const void *b, size_t c), (a, b, c))                                     \
    X(cuMemcpyHtoDAsync, (CUdeviceptr a, const void *b, size_t c, CUstream d), (a, b, c, d))                 \
    X(cuMemcpyDtoH, (void *a, CUdeviceptr b, size_t c), (a, b, c))                                           \
    X(cuMemcpyDtoHAsync, (void *a, CUdeviceptr b, size_t c, CUstream d), (a, b, c, d))                       \
    X(cuMemcpyDtoDAsync, (CUdeviceptr a, CUdeviceptr b, size_t c, CUstream d), (a, b, c, d))                 \
    X(cuMemcpyPeerAsync, (CUdeviceptr a, CUcontext b, CUdeviceptr c, CUcontext d, size_t e, CUstream f),     \
      (a, b, c, d, e, f))                                                                                    \
    X(cuMemsetD8Async, (CUdeviceptr a, unsigned char b, size_t c, CUstream d), (a, b, c, d))                 \
    X(cuStreamCreateWithPriority, (CUstream * a, unsigned b, int c), (a, b, c))                              \
    X(cuStreamCreate, (CUstream * a, unsigned b), (a, b))                                                    \
    X(cuIpcGetMemHandle, (CUipcMemHandle * a, CUdeviceptr b), (a, b))                                        \
    X(cuIpcOpenMemHandle, (CUdeviceptr * a, CUipcMemHandle b, unsigned c), (a, b, c))                        \
    X(cuIpcCloseMemHandle, (CUdeviceptr a), (a))                                                             \
    X(cuCtxEnablePeerAccess, (CUcontext a, unsigned b), (a, b))                                              \
    X(cuStreamWaitEvent, (CUstream a, CUevent b, unsigned c), (a, b, c))                                     \
    X(cuStreamDestroy, (CUstream a), (a))                                                                    \
    X(cuStreamSynchronize, (CUstream a), (a))                                                                \
    X(cuStreamBeginCapture, (CUstream a, CUstreamCaptureMode b), (a, b))                                     \
    X(cuStreamEndCapture, (CUstream a, CUgraph * b), (a, b))                                                 \
    X(cuGraphInstantiateWithFlags, (CUgraphExec * a, CUgraph b, unsigned long long c), (a, b, c))            \
    X(cuGraphLaunch, (CUgraphExec a, CUstream b), (a, b))                                                    \
    X(cuGraphExecDestroy, (CUgraphExec a), (a))                                                              \
    X(cuGraphDestroy, (CUgraph a), (a))                                                                      \
    X(cuLaunchKernel,                                                                                        \
      (CUfunction a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h,     \
       CUstream i, void **j, void **k),                                                                      \
      (a, b, c, d, e, f, g, h, i, j, k))                                                                     \
    X(cuLaunchKernelEx, (const CUlaunchConfig *a, CUfunction b, void **c, void **d), (a, b, c, d))           \
    X(cuEventCreate, (CUevent * a, unsigned b), (a, b))                                                      \
    X(cuEventDestroy, (CUevent a), (a))                                                                      \
    X(cuEventRecord, (CUevent a, CUstream b), (a, b))                                                        \
    X(cuEventSynchronize, (CUevent a), (a))

/* The library's calls that only query, or set what is current in the thread; and those for parts of a device,
 * which are made once for a plan. */
#define TRACE_HARMLESS_MAP(X)                                                                                \
    X(cuDeviceGetDevResource)                                                                                \
    X(cuDevSmResourceSplitByCount)                                                                           \
    X(cuDevResourceGenerateDesc)                                                                             \
    X(cuGreenCtxCreate)                                                                                      \
    X(cuGreenCtxDestroy)                                                                                     \
    X(cuGreenCtxStreamCreate)                                                                                \
    X(cuInit)                                                                                                \
    X(cuDriverGetVersion)                                                                                    \
    X(cuGetErrorName)                                                                                        \
    X(cuGetErrorString)                                                                                      \
    X(cuDeviceGetCount)                                                                                      \
    X(cuDeviceGet)                                                                                           \
    X(cuDeviceGetName)                                                                                       \
    X(cuDeviceGetAttribute)                                                                                  \
    X(cuDeviceGetUuid)                                                                                       \
    X(cuDeviceTotalMem)                                                                                      \
    X(cuCtxGetCurrent)                                                                                       \
    X(cuCtxGetDevice)                                                                                        \
    X(cuCtxPushCurrent)                                                                                      \
    X(cuCtxGetStreamPriorityRange)                                                                           \
    X(cuEventQuery)                                                                                          \
    X(cuCtxPopCurrent)                                                                                       \
    X(cuStreamIsCapturing)                                                                                   \
    X(cuDeviceCanAccessPeer)                                                                                 \
    X(cuMemGetInfo)                                                                                          \
    X(cuPointerGetAttributes)                                                                                \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                           \
    X(cuEventElapsedTime)

struct trace_counts {
#define TRACE_FIELD(name, parameters, arguments) _Atomic uint64_t name;
    TRACE_MAP(TRACE_FIELD)
#undef TRACE_FIELD
};

typedef struct trace_counts *trace_counts_fn(void);

#endif
