/* A CUDA driver opened at run time: NVIDIA's, or Wideload's simulator.  Nothing of CUDA is linked. */
#ifndef WIDELOAD_LIB_DRIVER_H
#define WIDELOAD_LIB_DRIVER_H

#include <stdbool.h>

#include <cuda.h>

#include "wideload.h"

/* The functions that the library uses, and the name an older driver may know one by (NULL: none).  cuda.h
 * defines many of these names as macros (cuMemAlloc is cuMemAlloc_v2); the field, its type and the symbol
 * looked for all come from the expanded name, so they agree. */
#define WL_DRIVER_MAP(X)                                                                                     \
    X(cuInit, NULL)                                                                                          \
    X(cuDriverGetVersion, NULL)                                                                              \
    X(cuGetErrorName, NULL)                                                                                  \
    X(cuGetErrorString, NULL)                                                                                \
    X(cuDeviceGetCount, NULL)                                                                                \
    X(cuDeviceGet, NULL)                                                                                     \
    X(cuDeviceGetName, NULL)                                                                                 \
    X(cuDeviceGetAttribute, NULL)                                                                            \
    X(cuDeviceTotalMem, NULL)                                                                                \
    X(cuDevicePrimaryCtxRetain, NULL)                                                                        \
    X(cuDevicePrimaryCtxRelease, NULL)                                                                       \
    X(cuCtxGetCurrent, NULL)                                                                                 \
    X(cuCtxGetDevice, NULL)                                                                                  \
    X(cuCtxPushCurrent, NULL)                                                                                \
    X(cuCtxPopCurrent, NULL)                                                                                 \
    X(cuCtxSynchronize, NULL)                                                                                \
    X(cuCtxResetPersistingL2Cache, NULL)                                                                     \
    X(cuCtxGetStreamPriorityRange, NULL)                                                                     \
    X(cuCtxEnablePeerAccess, NULL)                                                                           \
    X(cuDeviceCanAccessPeer, NULL)                                                                           \
    X(cuThreadExchangeStreamCaptureMode, NULL)                                                               \
    X(cuModuleLoadData, NULL)                                                                                \
    X(cuModuleUnload, NULL)                                                                                  \
    X(cuModuleGetFunction, NULL)                                                                             \
    X(cuFuncGetAttribute, NULL)                                                                              \
    X(cuFuncSetAttribute, NULL)                                                                              \
    X(cuPointerGetAttributes, NULL)                                                                          \
    X(cuMemAlloc, NULL)                                                                                      \
    X(cuMemFree, NULL)                                                                                       \
    X(cuMemGetInfo, NULL)                                                                                    \
    X(cuMemcpyHtoD, NULL)                                                                                    \
    X(cuMemcpyHtoDAsync, NULL)                                                                               \
    X(cuMemcpyDtoH, NULL)                                                                                    \
    X(cuMemcpyDtoHAsync, NULL)                                                                               \
    X(cuMemcpyDtoDAsync, NULL)                                                                               \
    X(cuMemcpyPeerAsync, NULL)                                                                               \
    X(cuMemsetD8Async, NULL)                                                                                 \
    X(cuDeviceGetUuid, NULL)                                                                                 \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, NULL)                                                     \
    X(cuStreamCreateWithPriority, NULL)                                                                      \
    X(cuStreamCreate, NULL)                                                                                  \
    X(cuStreamDestroy, NULL)                                                                                 \
    X(cuStreamSynchronize, NULL)                                                                             \
    X(cuStreamIsCapturing, NULL)                                                                             \
    X(cuStreamWaitEvent, NULL)                                                                               \
    X(cuStreamBeginCapture, NULL)                                                                            \
    X(cuStreamEndCapture, NULL)                                                                              \
    X(cuGraphInstantiateWithFlags, NULL)                                                                     \
    X(cuGraphLaunch, NULL)                                                                                   \
    X(cuGraphExecDestroy, NULL)                                                                              \
    X(cuGraphDestroy, NULL)                                                                                  \
    X(cuLaunchKernel, NULL)                                                                                  \
    X(cuEventCreate, NULL)                                                                                   \
    X(cuEventDestroy, NULL)                                                                                  \
    X(cuEventQuery, NULL)                                                                                    \
    X(cuEventRecord, NULL)                                                                                   \
    X(cuEventSynchronize, NULL)                                                                              \
    X(cuEventElapsedTime, "cuEventElapsedTime")

/* Functions that a driver may lack; NULL there.  The second list is of CUDA 12.5: streams that have some of
 * a device's multiprocessors. */
#if CUDA_VERSION >= 12050
#define WL_DRIVER_PARTS_MAP(X)                                                                               \
    X(cuDeviceGetDevResource)                                                                                \
    X(cuDevSmResourceSplitByCount)                                                                           \
    X(cuDevResourceGenerateDesc)                                                                             \
    X(cuGreenCtxCreate)                                                                                      \
    X(cuGreenCtxDestroy)                                                                                     \
    X(cuGreenCtxStreamCreate)
#else
#define WL_DRIVER_PARTS_MAP(X)
#endif
#define WL_DRIVER_OPTIONAL_MAP(X)                                                                            \
    X(cuLaunchKernelEx)                                                                                      \
    X(cuIpcGetMemHandle)                                                                                     \
    X(cuIpcOpenMemHandle)                                                                                    \
    X(cuIpcCloseMemHandle)                                                                                   \
    WL_DRIVER_PARTS_MAP(X)

struct wl__driver {
    void *library;  /* dlopen's handle */
    bool simulator; /* it has the simulator's extension, whatever its file is called */
#define WL_DRIVER_FIELD(name, older) __typeof__(name) *name;
    WL_DRIVER_MAP(WL_DRIVER_FIELD)
#undef WL_DRIVER_FIELD
#define WL_DRIVER_OPTIONAL_FIELD(name) __typeof__(name) *name;
    WL_DRIVER_OPTIONAL_MAP(WL_DRIVER_OPTIONAL_FIELD)
#undef WL_DRIVER_OPTIONAL_FIELD
    /* The simulator's extension; NULL on NVIDIA's driver. */
    wl_sim_get_counters_fn *wlSimGetCounters;
    wl_sim_reset_counters_fn *wlSimResetCounters;
    wl_sim_set_arch_fn *wlSimSetArch;
    wl_sim_string_fn *wlSimArch, *wlSimLastError;
    wl_sim_arch_at_fn *wlSimArchAt;
    wl_sim_strict_bounds_fn *wlSimStrictBounds;
};

/* Opens libcuda.so.1, or the simulator: $WIDELOAD_SIM_LIBRARY if that is set, else libwideload-sim.so
 * next to this library, else wherever the loader finds it; and initialises it.  On failure (NO_DRIVER, or
 * NO_DEVICE from the driver's initialisation) there is nothing to close. */
wl_error wl__driver_open(struct wl__driver *driver, bool simulator);
/* Opens the library whose context is the calling thread's current one, among those that the process has
 * already loaded: libcuda.so.1, else the simulator.  Loads and initialises nothing.  NO_DEVICE if no context
 * is current. */
wl_error wl__driver_open_current(struct wl__driver *driver, CUcontext *current);
void wl__driver_close(struct wl__driver *driver);

/* Turns a driver's failure of `call` into an error with a message; CUDA_SUCCESS gives WL_ERROR_OK. */
wl_error wl__driver_check(const struct wl__driver *driver, CUresult result, const char *call);

#endif
