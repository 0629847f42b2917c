/* The CUDA driver API as used by an application next to the library: its own contexts, streams, memory and
 * graphs, on NVIDIA's driver or the simulator. */
#ifndef WIDELOAD_TESTS_CUDA_CALLS_H
#define WIDELOAD_TESTS_CUDA_CALLS_H

#include <cuda.h>

/* cuda.h defines many of these names as macros (cuMemAlloc is cuMemAlloc_v2): the field, its type and the
 * symbol use the expanded name. */
#define CUDA_CALL_MAP(X)                                                                                     \
    X(cuInit)                                                                                                \
    X(cuDeviceGet)                                                                                           \
    X(cuDevicePrimaryCtxGetState)                                                                            \
    X(cuDevicePrimaryCtxRetain)                                                                              \
    X(cuDevicePrimaryCtxRelease)                                                                             \
    X(cuDevicePrimaryCtxReset)                                                                               \
    X(cuCtxEnablePeerAccess)                                                                                 \
    X(cuCtxDisablePeerAccess)                                                                                \
    X(cuCtxDestroy)                                                                                          \
    X(cuCtxGetCurrent)                                                                                       \
    X(cuCtxSetCurrent)                                                                                       \
    X(cuCtxSynchronize)                                                                                      \
    X(cuStreamCreate)                                                                                        \
    X(cuStreamDestroy)                                                                                       \
    X(cuStreamWaitEvent)                                                                                     \
    X(cuEventCreate)                                                                                         \
    X(cuEventDestroy)                                                                                        \
    X(cuEventRecord)                                                                                         \
    X(cuStreamSynchronize)                                                                                   \
    X(cuStreamBeginCapture)                                                                                  \
    X(cuStreamEndCapture)                                                                                    \
    X(cuThreadExchangeStreamCaptureMode)                                                                     \
    X(cuGraphGetNodes)                                                                                       \
    X(cuGraphInstantiateWithFlags)                                                                           \
    X(cuGraphLaunch)                                                                                         \
    X(cuGraphExecDestroy)                                                                                    \
    X(cuGraphDestroy)                                                                                        \
    X(cuMemAlloc)                                                                                            \
    X(cuMemFree)                                                                                             \
    X(cuMemAllocAsync)                                                                                       \
    X(cuMemFreeAsync)                                                                                        \
    X(cuMemAllocManaged)                                                                                     \
    X(cuMemAllocHost)                                                                                        \
    X(cuMemFreeHost)                                                                                         \
    X(cuMemHostRegister)                                                                                     \
    X(cuMemHostUnregister)                                                                                   \
    X(cuMemHostGetDevicePointer)                                                                             \
    X(cuMemcpyHtoD)                                                                                          \
    X(cuMemcpyDtoH)                                                                                          \
    X(cuMemcpyHtoDAsync)                                                                                     \
    X(cuMemcpyDtoHAsync)                                                                                     \
    X(cuMemsetD8)                                                                                            \
    X(cuPointerGetAttribute)

struct cuda_calls {
    void *library;
#define CUDA_CALL_FIELD(name) __typeof__(name) *name;
    CUDA_CALL_MAP(CUDA_CALL_FIELD)
#undef CUDA_CALL_FIELD
    /* The header declares only its newest form. */
    CUresult (*create_context)(CUcontext *, unsigned flags, CUdevice);
};

/* The device that the tests run on: WIDELOAD_DEVICE, or "sim". */
const char *cuda_device_name(void);
/* Opens that device's driver and initialises it.  Fails the test if it cannot. */
struct cuda_calls cuda_open(void);
/* Fails the test on an error of the driver. */
void cuda_need_at(CUresult result, const char *call, const char *file, int line);
#define cuda_need(call) cuda_need_at(call, #call, __FILE__, __LINE__)

#endif
