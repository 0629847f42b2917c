/* Launches that are refused, and the functions that launch. */
#include "say.h"

__device__ int variable;

__global__ void store(int *to, int value) {
    if (to)
        *to = value;
}

__global__ void __launch_bounds__(64) bounded(int *to) {
    *to = 1;
}

__global__ void with_shared(int *to) {
    __shared__ int tile[100];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *to = tile[5];
}

int main() {
    int *device, host = 0, value = 17;
    SAY(cudaMalloc(&device, 64));
    const struct {
        const char *what;
        dim3 grid, block;
        size_t shared;
    } shapes[] = {
        {"grid 0", dim3(0), dim3(1), 0},
        {"block 0", dim3(1), dim3(0), 0},
        {"block 1025", dim3(1), dim3(1025), 0},
        {"block 32 x 33", dim3(1), dim3(32, 33), 0},
        {"block z 65", dim3(1), dim3(1, 1, 65), 0},
        {"grid y 65536", dim3(1, 65536), dim3(1), 0},
        {"shared 50000", dim3(1), dim3(1), 50000},
        {"shared 300000", dim3(1), dim3(1), 300000},
        {"shared 48 K", dim3(1), dim3(1), 48 << 10},
    };
    for (const auto &shape : shapes) {
        store<<<shape.grid, shape.block, shape.shared>>>(device, 1);
        SAY_LAUNCH(shape.what);
    }
    bounded<<<1, 65>>>(device);
    SAY_LAUNCH("bounds");
    with_shared<<<1, 32, (48 << 10) - 400>>>(device);
    SAY_LAUNCH("static and dynamic shared memory");
    with_shared<<<1, 32, (48 << 10) - 399>>>(device);
    SAY_LAUNCH("a byte too much");
    store<<<1, 1, 0, (cudaStream_t)0x1234567>>>(device, 1);
    SAY_LAUNCH("no stream");

    void *arguments[] = {&device, &value};
    SAY(cudaLaunchKernel((const void *)&variable, dim3(1), dim3(1), arguments, 0, 0));
    SAY(cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), arguments, 0, 0));
    SAY(cudaLaunchKernel((const void *)store, dim3(1), dim3(1), arguments, 0, 0));
    SAY(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host);
    SAY(cudaLaunchKernelExC(NULL, (const void *)store, arguments));
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    SAY(cudaLaunchKernelEx(&config, store, device, 18));
    cudaKernel_t kernel;
    SAY(cudaGetKernel(&kernel, (const void *)store));
    value = 19;
    SAY(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), arguments, 0, 0));
    SAY(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host);

    cudaFuncAttributes attributes;
    SAY(cudaFuncGetAttributes(&attributes, with_shared));
    printf("shared %zu, threads %d, dynamic %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock,
           attributes.maxDynamicSharedSizeBytes);
    SAY(cudaFuncGetAttributes(&attributes, bounded));
    printf("threads %d\n", attributes.maxThreadsPerBlock);
    SAY(cudaFuncGetAttributes(&attributes, (const void *)&variable));
    SAY(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    SAY(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
    store<<<1, 1, 100000>>>(device, 1);
    SAY_LAUNCH("opted in");
    const char *name;
    size_t offset, size;
    SAY(cudaFuncGetName(&name, (const void *)store));
    printf("%s\n", name);
    SAY(cudaFuncGetParamInfo((const void *)store, 1, &offset, &size));
    printf("%zu %zu\n", offset, size);
    int blocks, grid, block;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store, 256, 0));
    printf("%d\n", blocks);
    SAY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, store));
    printf("%d %d\n", grid, block);
    cudaFunction_t function;
    SAY(cudaGetFuncBySymbol(&function, (const void *)&variable));
    SAY(cudaFree(device));
    return 0;
}
