/* A shared library with kernels; library_main.cu uses it, and has its own kernels. */
#include <cuda_runtime.h>

__device__ int library_value = 30;

static __global__ void kernel(int *out) {
    *out += library_value;
}

extern "C" cudaError_t library_run(int *device) {
    kernel<<<1, 1>>>(device);
    return cudaGetLastError();
}
