#include "say.h"

extern "C" cudaError_t library_run(int *device);

static __global__ void kernel(int *out) {
    *out += 1;
}

int main() {
    int *device, host;
    SAY(cudaMalloc(&device, sizeof *device));
    SAY(cudaMemset(device, 0, sizeof *device));
    SAY(library_run(device));
    kernel<<<1, 1>>>(device);
    SAY(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host);
    SAY(cudaFree(device));
    return 0;
}
