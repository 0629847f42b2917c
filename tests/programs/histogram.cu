/* A histogram: atomics on global memory, on shared memory, and with one copy per warp. */
#include "program.h"

__global__ void global_bins(const unsigned char *data, int n, unsigned *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}

__global__ void shared_bins(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void warp_bins(const uchar4 *data, int n, unsigned *bins) {
    __shared__ unsigned s[8][257];
    for (int i = threadIdx.x; i < 8 * 257; i += blockDim.x)
        (&s[0][0])[i] = 0;
    __syncthreads();
    unsigned *mine = s[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 x = data[i];
        atomicAdd(&mine[x.x], 1);
        atomicAdd(&mine[x.y], 1);
        atomicAdd(&mine[x.z], 1);
        atomicAdd(&mine[x.w], 1);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; w++)
        sum += s[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

int main() {
    const int n = 12000;
    unsigned char *host = (unsigned char *)malloc(n);
    for (int i = 0; i < n; i++)
        host[i] = (mix(i) & 0xff) * (mix(i + n) & 0xff) >> 8;
    unsigned char *data = to_device(host, n);
    unsigned *bins = device_array<unsigned>(3 * 256);
    global_bins<<<4, 256>>>(data, n, bins);
    shared_bins<<<4, 256>>>(data, n, bins + 256);
    warp_bins<<<2, 256>>>((const uchar4 *)data, n, bins + 512);
    CHECK_KERNEL();
    for (int k = 0; k < 3; k++)
        print_array("bins", bins + 256 * k, 256);
    free(host);
}
