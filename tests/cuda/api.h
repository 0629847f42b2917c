/* The simulator's driver as programs use it: opened with dlopen, with functions looked up by name. */
#ifndef WIDELOAD_TESTS_DRIVER_API_H
#define WIDELOAD_TESTS_DRIVER_API_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CUDA_ENABLE_DEPRECATED /* the driver still has to provide them */
#include <cuda.h>

#include "wideload.h"

/* Each name stands for its newest version, as in cuda.h: cuMemAlloc is cuMemAlloc_v2. */
#define API_MAP(X)                                                                                           \
    X(cuInit)                                                                                                \
    X(cuDriverGetVersion)                                                                                    \
    X(cuGetErrorName)                                                                                        \
    X(cuGetErrorString)                                                                                      \
    X(cuDeviceGet)                                                                                           \
    X(cuDeviceGetCount)                                                                                      \
    X(cuDeviceGetName)                                                                                       \
    X(cuDeviceGetAttribute)                                                                                  \
    X(cuDeviceTotalMem)                                                                                      \
    X(cuDeviceGetUuid)                                                                                       \
    X(cuDeviceGetPCIBusId)                                                                                   \
    X(cuDeviceGetByPCIBusId)                                                                                 \
    X(cuDeviceCanAccessPeer)                                                                                 \
    X(cuCtxEnablePeerAccess)                                                                                 \
    X(cuCtxDisablePeerAccess)                                                                                \
    X(cuDeviceGetP2PAttribute)                                                                               \
    X(cuMemcpyPeerAsync)                                                                                     \
    X(cuMemcpy3DPeer)                                                                                        \
    X(cuDeviceComputeCapability)                                                                             \
    X(cuDeviceGetProperties)                                                                                 \
    X(cuDevicePrimaryCtxRetain)                                                                              \
    X(cuDevicePrimaryCtxRelease)                                                                             \
    X(cuDevicePrimaryCtxReset)                                                                               \
    X(cuDevicePrimaryCtxSetFlags)                                                                            \
    X(cuDevicePrimaryCtxGetState)                                                                            \
    X(cuDeviceGetDefaultMemPool)                                                                             \
    X(cuDeviceGetMemPool)                                                                                    \
    X(cuDeviceSetMemPool)                                                                                    \
    X(cuCtxDestroy)                                                                                          \
    X(cuCtxPushCurrent)                                                                                      \
    X(cuCtxPopCurrent)                                                                                       \
    X(cuCtxSetCurrent)                                                                                       \
    X(cuCtxGetCurrent)                                                                                       \
    X(cuCtxGetDevice)                                                                                        \
    X(cuCtxSynchronize)                                                                                      \
    X(cuCtxGetFlags)                                                                                         \
    X(cuCtxGetLimit)                                                                                         \
    X(cuCtxSetLimit)                                                                                         \
    X(cuCtxGetApiVersion)                                                                                    \
    X(cuCtxGetCacheConfig)                                                                                   \
    X(cuCtxSetCacheConfig)                                                                                   \
    X(cuCtxSetSharedMemConfig)                                                                               \
    X(cuCtxGetStreamPriorityRange)                                                                           \
    X(cuModuleLoad)                                                                                          \
    X(cuModuleLoadData)                                                                                      \
    X(cuModuleLoadDataEx)                                                                                    \
    X(cuModuleLoadFatBinary)                                                                                 \
    X(cuModuleUnload)                                                                                        \
    X(cuModuleGetFunction)                                                                                   \
    X(cuModuleGetGlobal)                                                                                     \
    X(cuModuleGetLoadingMode)                                                                                \
    X(cuLinkCreate)                                                                                          \
    X(cuLinkAddData)                                                                                         \
    X(cuLinkAddFile)                                                                                         \
    X(cuLinkComplete)                                                                                        \
    X(cuLinkDestroy)                                                                                         \
    X(cuLibraryLoadData)                                                                                     \
    X(cuLibraryLoadFromFile)                                                                                 \
    X(cuLibraryUnload)                                                                                       \
    X(cuLibraryGetKernel)                                                                                    \
    X(cuLibraryGetModule)                                                                                    \
    X(cuLibraryGetGlobal)                                                                                    \
    X(cuKernelGetFunction)                                                                                   \
    X(cuKernelGetAttribute)                                                                                  \
    X(cuKernelGetParamInfo)                                                                                  \
    X(cuKernelSetAttribute)                                                                                  \
    X(cuFuncGetAttribute)                                                                                    \
    X(cuFuncSetAttribute)                                                                                    \
    X(cuFuncGetParamInfo)                                                                                    \
    X(cuFuncSetSharedMemConfig)                                                                              \
    X(cuFuncSetCacheConfig)                                                                                  \
    X(cuFuncGetModule)                                                                                       \
    X(cuMemAlloc)                                                                                            \
    X(cuMemAllocPitch)                                                                                       \
    X(cuMemAllocManaged)                                                                                     \
    X(cuMemAllocAsync)                                                                                       \
    X(cuMemAllocFromPoolAsync)                                                                               \
    X(cuMemFree)                                                                                             \
    X(cuMemFreeAsync)                                                                                        \
    X(cuMemGetInfo)                                                                                          \
    X(cuMemGetAddressRange)                                                                                  \
    X(cuMemAllocHost)                                                                                        \
    X(cuMemHostAlloc)                                                                                        \
    X(cuMemFreeHost)                                                                                         \
    X(cuMemHostRegister)                                                                                     \
    X(cuMemHostUnregister)                                                                                   \
    X(cuMemHostGetDevicePointer)                                                                             \
    X(cuMemHostGetFlags)                                                                                     \
    X(cuMemPoolCreate)                                                                                       \
    X(cuMemPoolDestroy)                                                                                      \
    X(cuMemPoolGetAttribute)                                                                                 \
    X(cuMemPoolSetAttribute)                                                                                 \
    X(cuIpcGetEventHandle)                                                                                   \
    X(cuIpcOpenEventHandle)                                                                                  \
    X(cuIpcGetMemHandle)                                                                                     \
    X(cuIpcOpenMemHandle)                                                                                    \
    X(cuIpcCloseMemHandle)                                                                                   \
    X(cuPointerGetAttribute)                                                                                 \
    X(cuPointerGetAttributes)                                                                                \
    X(cuMemsetD8)                                                                                            \
    X(cuMemsetD16)                                                                                           \
    X(cuMemsetD32)                                                                                           \
    X(cuMemsetD32Async)                                                                                      \
    X(cuMemsetD2D8)                                                                                          \
    X(cuMemsetD2D16)                                                                                         \
    X(cuMemsetD2D32)                                                                                         \
    X(cuMemcpy)                                                                                              \
    X(cuMemcpyHtoD)                                                                                          \
    X(cuMemcpyDtoH)                                                                                          \
    X(cuMemcpyDtoD)                                                                                          \
    X(cuMemcpyHtoDAsync)                                                                                     \
    X(cuMemcpyDtoHAsync)                                                                                     \
    X(cuMemcpyDtoDAsync)                                                                                     \
    X(cuMemcpyPeer)                                                                                          \
    X(cuMemcpy2D)                                                                                            \
    X(cuMemcpy2DUnaligned)                                                                                   \
    X(cuMemcpy2DAsync)                                                                                       \
    X(cuMemcpy3D)                                                                                            \
    X(cuMemcpyDtoA)                                                                                          \
    X(cuMemcpyAtoD)                                                                                          \
    X(cuStreamCreate)                                                                                        \
    X(cuStreamCreateWithPriority)                                                                            \
    X(cuStreamDestroy)                                                                                       \
    X(cuStreamSynchronize)                                                                                   \
    X(cuStreamQuery)                                                                                         \
    X(cuStreamWaitEvent)                                                                                     \
    X(cuStreamAddCallback)                                                                                   \
    X(cuStreamGetPriority)                                                                                   \
    X(cuStreamGetFlags)                                                                                      \
    X(cuStreamIsCapturing)                                                                                   \
    X(cuStreamBeginCapture)                                                                                  \
    X(cuLaunchHostFunc)                                                                                      \
    X(cuMemPoolSetAccess)                                                                                    \
    X(cuMemPoolGetAccess)                                                                                    \
    X(cuStreamWriteValue32)                                                                                  \
    X(cuStreamWriteValue64)                                                                                  \
    X(cuStreamWaitValue32)                                                                                   \
    X(cuStreamWaitValue64)                                                                                   \
    X(cuStreamBatchMemOp)                                                                                    \
    X(cuEventRecordWithFlags)                                                                                \
    X(cuStreamEndCapture)                                                                                    \
    X(cuStreamGetCaptureInfo)                                                                                \
    X(cuStreamUpdateCaptureDependencies)                                                                     \
    X(cuStreamBeginCaptureToGraph)                                                                           \
    X(cuThreadExchangeStreamCaptureMode)                                                                     \
    X(cuGraphCreate)                                                                                         \
    X(cuGraphDestroy)                                                                                        \
    X(cuGraphClone)                                                                                          \
    X(cuGraphNodeFindInClone)                                                                                \
    X(cuGraphNodeGetType)                                                                                    \
    X(cuGraphGetNodes)                                                                                       \
    X(cuGraphGetRootNodes)                                                                                   \
    X(cuGraphGetEdges)                                                                                       \
    X(cuGraphNodeGetDependencies)                                                                            \
    X(cuGraphNodeGetDependentNodes)                                                                          \
    X(cuGraphAddDependencies)                                                                                \
    X(cuGraphRemoveDependencies)                                                                             \
    X(cuGraphDestroyNode)                                                                                    \
    X(cuGraphAddKernelNode)                                                                                  \
    X(cuGraphKernelNodeGetParams)                                                                            \
    X(cuGraphKernelNodeSetParams)                                                                            \
    X(cuGraphKernelNodeGetAttribute)                                                                         \
    X(cuGraphKernelNodeSetAttribute)                                                                         \
    X(cuGraphKernelNodeCopyAttributes)                                                                       \
    X(cuGraphAddMemcpyNode)                                                                                  \
    X(cuGraphMemcpyNodeGetParams)                                                                            \
    X(cuGraphMemcpyNodeSetParams)                                                                            \
    X(cuGraphAddMemsetNode)                                                                                  \
    X(cuGraphMemsetNodeGetParams)                                                                            \
    X(cuGraphMemsetNodeSetParams)                                                                            \
    X(cuGraphAddHostNode)                                                                                    \
    X(cuGraphHostNodeGetParams)                                                                              \
    X(cuGraphHostNodeSetParams)                                                                              \
    X(cuGraphAddChildGraphNode)                                                                              \
    X(cuGraphChildGraphNodeGetGraph)                                                                         \
    X(cuGraphAddEmptyNode)                                                                                   \
    X(cuGraphAddEventRecordNode)                                                                             \
    X(cuGraphEventRecordNodeGetEvent)                                                                        \
    X(cuGraphEventRecordNodeSetEvent)                                                                        \
    X(cuGraphAddEventWaitNode)                                                                               \
    X(cuGraphEventWaitNodeGetEvent)                                                                          \
    X(cuGraphEventWaitNodeSetEvent)                                                                          \
    X(cuGraphAddMemAllocNode)                                                                                \
    X(cuGraphMemAllocNodeGetParams)                                                                          \
    X(cuGraphAddMemFreeNode)                                                                                 \
    X(cuGraphMemFreeNodeGetParams)                                                                           \
    X(cuGraphAddBatchMemOpNode)                                                                              \
    X(cuGraphBatchMemOpNodeGetParams)                                                                        \
    X(cuGraphBatchMemOpNodeSetParams)                                                                        \
    X(cuGraphAddNode)                                                                                        \
    X(cuGraphNodeSetParams)                                                                                  \
    X(cuGraphInstantiateWithFlags)                                                                           \
    X(cuGraphInstantiateWithParams)                                                                          \
    X(cuGraphExecGetFlags)                                                                                   \
    X(cuGraphExecDestroy)                                                                                    \
    X(cuGraphUpload)                                                                                         \
    X(cuGraphLaunch)                                                                                         \
    X(cuGraphExecKernelNodeSetParams)                                                                        \
    X(cuGraphExecMemcpyNodeSetParams)                                                                        \
    X(cuGraphExecMemsetNodeSetParams)                                                                        \
    X(cuGraphExecHostNodeSetParams)                                                                          \
    X(cuGraphExecEventRecordNodeSetEvent)                                                                    \
    X(cuGraphExecEventWaitNodeSetEvent)                                                                      \
    X(cuGraphExecBatchMemOpNodeSetParams)                                                                    \
    X(cuGraphExecChildGraphNodeSetParams)                                                                    \
    X(cuGraphExecNodeSetParams)                                                                              \
    X(cuGraphNodeSetEnabled)                                                                                 \
    X(cuGraphNodeGetEnabled)                                                                                 \
    X(cuGraphExecUpdate)                                                                                     \
    X(cuGraphConditionalHandleCreate)                                                                        \
    X(cuGraphDebugDotPrint)                                                                                  \
    X(cuUserObjectCreate)                                                                                    \
    X(cuUserObjectRetain)                                                                                    \
    X(cuUserObjectRelease)                                                                                   \
    X(cuGraphRetainUserObject)                                                                               \
    X(cuGraphReleaseUserObject)                                                                              \
    X(cuDeviceGraphMemTrim)                                                                                  \
    X(cuDeviceGetGraphMemAttribute)                                                                          \
    X(cuDeviceSetGraphMemAttribute)                                                                          \
    X(cuMemRangeGetAttribute)                                                                                \
    X(cuMemRangeGetAttributes)                                                                               \
    X(cuStreamGetAttribute)                                                                                  \
    X(cuStreamSetAttribute)                                                                                  \
    X(cuStreamCopyAttributes)                                                                                \
    X(cuMemAdvise)                                                                                           \
    X(cuMemPrefetchAsync)                                                                                    \
    X(cuEventCreate)                                                                                         \
    X(cuEventDestroy)                                                                                        \
    X(cuEventRecord)                                                                                         \
    X(cuEventSynchronize)                                                                                    \
    X(cuEventQuery)                                                                                          \
    X(cuEventElapsedTime)                                                                                    \
    X(cuLaunchKernel)                                                                                        \
    X(cuLaunchCooperativeKernel)                                                                             \
    X(cuLaunchKernelEx)                                                                                      \
    X(cuTensorMapEncodeTiled)                                                                                \
    X(cuTensorMapEncodeIm2col)                                                                               \
    X(cuTensorMapReplaceAddress)                                                                             \
    X(cuArrayCreate)                                                                                         \
    X(cuArray3DCreate)                                                                                       \
    X(cuArrayDestroy)                                                                                        \
    X(cuTexObjectCreate)                                                                                     \
    X(cuTexObjectDestroy)                                                                                    \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)                                                  \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags)                                                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                           \
    X(cuOccupancyMaxPotentialBlockSize)                                                                      \
    X(cuOccupancyMaxActiveClusters)                                                                          \
    X(cuOccupancyMaxPotentialClusterSize)                                                                    \
    X(cuOccupancyAvailableDynamicSMemPerBlock)

struct api {
#define API_FIELD(name) __typeof__(name) *name;
    API_MAP(API_FIELD)
#undef API_FIELD
    /* cuCtxCreate differs between cuda.h 12 and 13; this version is in both drivers. */
    CUresult (*context_create)(CUcontext *context, unsigned flags, CUdevice device);
    wl_sim_get_counters_fn *get_counters;
    wl_sim_strict_bounds_fn *strict_bounds;
    wl_sim_reset_counters_fn *reset_counters;
    wl_sim_set_arch_fn *set_arch;
    wl_sim_string_fn *arch, *last_error;
    void *library;
};

extern struct api api;

enum api_lookup { API_DLSYM, API_GET_PROC_ADDRESS };

/* Opens the driver and finds every function; false, with a line on stderr, if one is missing. */
bool api_open(enum api_lookup lookup);
void api_close(void);

/* A group's setup and teardown: initialises the driver, and makes a context for the group. */
int api_setup(void **state);
int api_teardown(void **state);
/* The context of api_setup(). */
extern CUcontext api_context;

/* The path of a file that the build made next to the test programs. */
const char *api_path(const char *name);
/* Its bytes, NUL-terminated; the caller frees them. */
char *api_read(const char *name, size_t *size);

#define assert_ok(call) assert_int_equal(call, CUDA_SUCCESS)

#endif
