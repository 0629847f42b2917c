/* Device code of two files that use each other (-rdc=true); see linked_other.cu. */
#include "linked.h"
#include "say.h"

extern __device__ int shared_counter;
extern __constant__ float weights[4];
extern __shared__ int dynamic[];

static __device__ int own = 1;

/* The other file has a function of the same name. */
static __device__ __noinline__ int helper(int x) {
    return x + own;
}

__device__ int called_back(int x) {
    return helper(x) * 10;
}

__global__ void first(int *out) {
    dynamic[threadIdx.x] = twice(helper(threadIdx.x));
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x] + shared_counter + (int)weights[threadIdx.x & 3];
}

int main() {
    int *device, host[32], hundred = 100;
    SAY(cudaMalloc(&device, sizeof host));
    SAY(cudaMemcpyToSymbol(shared_counter, &hundred, sizeof hundred));
    first<<<1, 32, 128>>>(device);
    SAY(cudaDeviceSynchronize());
    SAY(launch_second(device));
    increment<int><<<1, 1>>>(device);
    SAY(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[0], host[1], host[31]);
    SAY(cudaMemcpyFromSymbol(&hundred, shared_counter, sizeof hundred));
    printf("%d\n", hundred);
    SAY(cudaFree(device));
    return 0;
}
