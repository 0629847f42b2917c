/* Host memory that the device can access: pinned, mapped, registered. */
#include "program.h"

__global__ void twice(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 2;
}

int main() {
    const int n = 1000;
    int *pinned, *mapped, *seen, *device = device_array<int>(n);
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    for (int i = 0; i < n; i++)
        pinned[i] = mapped[i] = i;
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<4, 256>>>(device, n);
    CHECK(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    printf("pinned %d\n", pinned[n - 1]);

    CHECK(cudaHostGetDevicePointer(&seen, mapped, 0));
    twice<<<4, 256>>>(seen, n);
    CHECK_KERNEL();
    unsigned flags;
    CHECK(cudaHostGetFlags(&flags, mapped));
    printf("mapped %d, flag %d\n", mapped[n - 1], (flags & cudaHostAllocMapped) != 0);

    int *own = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        own[i] = 3 * i;
    CHECK(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&seen, own, 0));
    twice<<<4, 256>>>(seen, n);
    CHECK_KERNEL();
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, own));
    printf("registered %d, type %d\n", own[n - 1], attributes.type);
    CHECK(cudaHostUnregister(own));
    CHECK(cudaPointerGetAttributes(&attributes, own));
    printf("type %d\n", attributes.type);
    printf("again: %s\n", cudaGetErrorName(cudaHostUnregister(own)));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    free(own);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
}
