/* Many threads from the first call on: each has its own last error, and all share the device. */
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__device__ int total;

__global__ void add(int value) {
    atomicAdd(&total, value);
}

__global__ void fill(int *to, int value) {
    to[threadIdx.x] = value + threadIdx.x;
}

static void work(int id, int *wrong) {
    cudaStream_t stream;
    int *device, host[64];
    *wrong += cudaStreamCreate(&stream) != cudaSuccess;
    for (int round = 0; round < 20; round++) {
        *wrong += cudaMalloc(&device, sizeof host) != cudaSuccess;
        fill<<<1, 64, 0, stream>>>(device, id * 1000 + round);
        add<<<1, 32, 0, stream>>>(1);
        *wrong += cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream) != cudaSuccess;
        *wrong += cudaStreamSynchronize(stream) != cudaSuccess;
        *wrong += host[63] != id * 1000 + round + 63;
        *wrong += cudaFree(device) != cudaSuccess;
        if (id % 2)
            *wrong += cudaFree(host) != cudaErrorInvalidValue;
        *wrong += cudaGetLastError() != (id % 2 ? cudaErrorInvalidValue : cudaSuccess);
    }
    *wrong += cudaStreamDestroy(stream) != cudaSuccess;
}

int main() {
    const int threads = 8;
    int wrong[threads] = {0}, sum = 0, host = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back(work, i, &wrong[i]);
    for (auto &one : all)
        one.join();
    for (int one : wrong)
        sum += one;
    cudaMemcpyFromSymbol(&host, total, sizeof host);
    printf("wrong %d, total %d\n", sum, host);
    return 0;
}
