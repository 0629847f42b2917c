/* Reads and writes one array in ways that differ only in cost. */
#include "program.h"

__global__ void stride(const float *in, float *out, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[(long long)i * by % n];
}

__global__ void shifted_store(const float *in, float *out, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + by < n)
        out[i + by] = in[i];
}

__global__ void gather(const float *in, const int *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[at[i]];
}

__global__ void every_third_lane(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0)
        out[i] = in[i] * 2;
}

__global__ void shared_strides(const float *in, float *out, int by) {
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * by % 1024];
}

int main() {
    const int n = 4000;
    float *host = (float *)malloc(n * sizeof *host);
    int *at = (int *)malloc(n * sizeof *at);
    for (int i = 0; i < n; i++) {
        host[i] = i;
        at[i] = mix(i) % n;
    }
    float *in = to_device(host, n), *out = device_array<float>(n);
    for (int by : {1, 2, 7, 32}) {
        stride<<<(n + 127) / 128, 128>>>(in, out, n, by);
        print_array("stride", out, n);
    }
    shifted_store<<<(n + 127) / 128, 128>>>(in, out, n, 3);
    gather<<<(n + 255) / 256, 256>>>(in, to_device(at, n), out, n);
    print_array("gather", out, n);
    every_third_lane<<<(n + 127) / 128, 128>>>(in, out, n);
    for (int by : {1, 4, 32}) {
        shared_strides<<<1, 128>>>(in, out, by);
        print_array("shared", out, n);
    }
    CHECK_KERNEL();
    free(host);
    free(at);
}
