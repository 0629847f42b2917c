/* The last block to finish adds up the others' results (threadFenceReduction). */
#include "program.h"

__device__ unsigned finished;

__global__ void sum(const int *data, int n, volatile int *partial, int *result) {
    __shared__ int s[128];
    __shared__ bool last;
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    s[threadIdx.x] = mine;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; b++)
            all += partial[b];
        *result = all;
    }
}

int main() {
    const int n = 10000;
    int *host = (int *)malloc(n * sizeof *host), expected = 0;
    for (int i = 0; i < n; i++)
        expected += host[i] = mix(i) % 1000;
    int *data = to_device(host, n), *partial = device_array<int>(20), *result = device_array<int>(1);
    for (int k = 0; k < 2; k++) {
        sum<<<20, 128>>>(data, n, partial, result);
        CHECK_KERNEL();
        print_array("sum", result, 1);
    }
    printf("expected %d\n", expected);
    free(host);
}
