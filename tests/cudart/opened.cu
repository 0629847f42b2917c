/* A shared library that opened_main.cu opens at run time.  It uses its kernel as soon as it is loaded. */
#include <cuda_runtime.h>

__device__ int opened_value = 30;

static __global__ void kernel(int *out) {
    *out += opened_value++;
}

static int run() {
    int *device, host = -1;
    if (cudaMalloc(&device, sizeof *device) || cudaMemset(device, 0, sizeof *device))
        return -2;
    kernel<<<1, 1>>>(device);
    if (cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost) || cudaFree(device))
        return -3;
    return host;
}

static int at_start = run();

extern "C" int opened_at_start() {
    return at_start;
}

extern "C" int opened_run() {
    return run();
}
