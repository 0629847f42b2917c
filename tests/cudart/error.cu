/* How long errors last: the thread's last one until it is queried, a kernel's fault until a device
 * reset. */
#include "say.h"

__global__ void store(int *to) {
    *to = 1;
}

int main() {
    int *device, host = 0;
    cudaEvent_t event;
    cudaFree(&host);
    cudaMemcpy(&host, &host, 4, (cudaMemcpyKind)9);
    printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(&host);
    cudaMalloc(&device, 64);
    printf("a success does not clear it: %s\n", cudaGetErrorName(cudaGetLastError()));
    SAY(cudaEventCreate(&event));

    store<<<1, 1>>>(nullptr);
    SAY_LAUNCH("the launch");
    SAY(cudaDeviceSynchronize());
    SAY(cudaDeviceSynchronize());
    int *more;
    SAY(cudaMalloc(&more, 64));
    SAY(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost));
    store<<<1, 1>>>(device);
    SAY_LAUNCH("the next launch");
    SAY(cudaEventRecord(event));
    SAY(cudaStreamQuery(0));
    int count;
    SAY(cudaGetDeviceCount(&count));
    SAY(cudaDeviceReset());
    SAY(cudaMalloc(&device, 64));
    store<<<1, 1>>>(device);
    SAY_LAUNCH("after the reset");
    SAY(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", host);
    store<<<1, 1>>>((int *)((char *)device + 2));
    SAY(cudaDeviceSynchronize());
    return 0;
}
