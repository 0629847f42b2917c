/* assert in a kernel: the message goes to standard error, the error to the host. */
#include <cassert>

#include "program.h"

__global__ void check(const int *data, int limit) {
    assert(data[threadIdx.x] < limit);
}

int main() {
    int host[32], *data;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    data = to_device(host, 32);
    check<<<1, 32>>>(data, 32);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    check<<<1, 32>>>(data, 31);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
