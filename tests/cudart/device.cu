/* Devices, limits, versions, and calls that the simulator refuses. */
#include <cstring>
#include <cuda.h>

#include "say.h"

/* From cuda_profiler_api.h, which the compiler does not include by itself. */
extern "C" cudaError_t cudaProfilerStart(void);
extern "C" cudaError_t cudaProfilerStop(void);

__global__ void nothing() {}

int main() {
    int value, least, greatest;
    unsigned flags;
    size_t size;
    cudaDeviceProp properties;
    SAY(cudaGetDeviceCount(&value));
    printf("%d\n", value);
    SAY(cudaSetDevice(99));
    SAY(cudaSetDevice(-1));
    SAY(cudaSetDevice(0));
    SAY(cudaGetDevice(&value));
    printf("%d\n", value);
    SAY(cudaGetDeviceProperties(&properties, 3));
    SAY(cudaGetDeviceProperties(&properties, 0));
    printf("%s: %d.%d, %d multiprocessors, %d threads, %zu shared, warp %d\n", properties.name,
           properties.major, properties.minor, properties.multiProcessorCount, properties.maxThreadsPerBlock,
           properties.sharedMemPerBlock, properties.warpSize);
    printf("%d %d %d %zu\n", properties.maxGridSize[0], properties.maxGridSize[1],
           properties.maxThreadsDim[2], properties.totalConstMem);
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    printf("%d\n", value);
    SAY(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 7));
    SAY(cudaChooseDevice(&value, &properties));
    SAY(cudaSetDeviceFlags(0x10000));
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    SAY(cudaGetDeviceFlags(&flags));
    printf("%d\n", (flags & cudaDeviceScheduleYield) != 0);
    SAY(cudaDeviceGetLimit(&size, cudaLimitStackSize));
    printf("%zu\n", size);
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    SAY(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize));
    printf("%zu\n", size);
    SAY(cudaDeviceGetLimit(&size, (cudaLimit)77));
    SAY(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("%d\n", greatest < least);
    SAY(cudaDeviceCanAccessPeer(&value, 0, 0));
    printf("%d\n", value);
    SAY(cudaDeviceCanAccessPeer(&value, 0, 1));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    char bus[32];
    SAY(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    SAY(cudaDeviceGetByPCIBusId(&value, bus));
    printf("%d\n", value);
    SAY(cudaRuntimeGetVersion(&value));
    printf("%d\n", value == CUDART_VERSION);
    SAY(cudaDriverGetVersion(&value));
    printf("%d\n", value >= CUDART_VERSION);

    void *function;
    cudaDriverEntryPointQueryResult status;
    SAY(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &function, 12000, cudaEnableDefault, &status));
    int drivers_count = 0;
    CUresult counted = ((CUresult(*)(int *))function)(&drivers_count);
    printf("%d %d %d\n", (int)status, (int)counted, drivers_count);
    SAY(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 12000, cudaEnableDefault, &status));
    printf("%d\n", (int)status);
    SAY(cudaProfilerStart());
    SAY(cudaProfilerStop());

    cudaIpcMemHandle_t handle;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    printf("%d %d\n", format.x, (int)format.f);
    SAY(cudaIpcGetMemHandle(&handle, NULL));
    SAY(cudaMallocArray(&array, &format, 16));
    SAY(cudaLaunchCooperativeKernel((const void *)nothing, dim3(1), dim3(1), (void **)NULL, 0, 0));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorNotSupported), cudaGetErrorString(cudaErrorNotSupported));
    printf("%s: %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
    SAY(cudaDeviceReset());
    nothing<<<1, 1>>>();
    SAY(cudaDeviceSynchronize());
    return 0;
}
