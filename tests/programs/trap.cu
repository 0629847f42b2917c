/* A kernel that aborts: __trap, and the host's view of it. */
#include "program.h"

__global__ void guard(const int *data, int n) {
    int i = threadIdx.x;
    if (i < n && data[i] < 0)
        __trap();
}

int main() {
    int host[64] = {1, 2, 3}, *data = to_device(host, 64);
    guard<<<1, 64>>>(data, 64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    host[40] = -1;
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    guard<<<1, 64>>>(data, 64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaFree(data)));
}
