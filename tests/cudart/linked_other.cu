#include "linked.h"

__device__ int shared_counter = 5;
__constant__ float weights[4] = {1, 2, 3, 4};

static __device__ int own = 1000;

static __device__ __noinline__ int helper(int x) {
    return x + own;
}

__device__ int twice(int x) {
    return x * 2;
}

__global__ void second(int *out) {
    out[threadIdx.x] += helper(0) + called_back(threadIdx.x);
    if (threadIdx.x == 0)
        atomicAdd(&shared_counter, 1);
}

cudaError_t launch_second(int *device) {
    second<<<1, 32>>>(device);
    increment<int><<<1, 1>>>(device);
    return cudaDeviceSynchronize();
}
