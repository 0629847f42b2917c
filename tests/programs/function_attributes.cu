/* The runtime's attributes of a kernel, and more than 48 KB of shared memory, which must be requested. */
#include "program.h"

__constant__ double numbers[100] = {1};

__global__ void __launch_bounds__(256) reverse(double *data, int n) {
    __shared__ double fixed[64];
    extern __shared__ double dynamic[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        dynamic[i] = data[i];
    if (threadIdx.x < 64)
        fixed[threadIdx.x] = numbers[threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = dynamic[n - 1 - i] + fixed[i & 63];
}

int main() {
    const int n = 12000;
    double *host = (double *)malloc(n * sizeof *host);
    for (int i = 0; i < n; i++)
        host[i] = i;
    double *data = to_device(host, n);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, reverse));
    printf("shared %zu, local %zu, threads %d, dynamic %d, ptx %d, binary %d\n", attributes.sharedSizeBytes,
           attributes.localSizeBytes, attributes.maxThreadsPerBlock, attributes.maxDynamicSharedSizeBytes,
           attributes.ptxVersion, attributes.binaryVersion);
    printf("registers %d\n", attributes.numRegs > 0 && attributes.numRegs <= 255);
    reverse<<<1, 256, n * sizeof(double)>>>(data, n);
    printf("not asked for: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(double)));
    CHECK(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));
    reverse<<<1, 256, n * sizeof(double)>>>(data, n);
    CHECK_KERNEL();
    print_array("reversed", data, n);
    CHECK(cudaFuncGetAttributes(&attributes, reverse));
    printf("dynamic %d\n", attributes.maxDynamicSharedSizeBytes);
    printf("too much: %s\n", cudaGetErrorName(cudaFuncSetAttribute(
                                 reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024)));
    reverse<<<1, 512>>>(data, 1);
    printf("beyond the bounds: %s\n", cudaGetErrorName(cudaGetLastError()));
    const char *name;
    CHECK(cudaFuncGetName(&name, (const void *)reverse));
    printf("%s\n", name);
    free(host);
}
