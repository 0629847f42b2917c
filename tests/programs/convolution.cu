/* A convolution by rows and by columns, with its weights in constant memory. */
#include "program.h"

const int radius = 3;
__constant__ float weights[2 * radius + 1];

__global__ void rows(const float *in, float *out, int w, int h) {
    __shared__ float s[4][64 + 2 * radius];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    for (int i = threadIdx.x; i < 64 + 2 * radius; i += 64) {
        int from = blockIdx.x * 64 + i - radius;
        s[threadIdx.y][i] = y < h && from >= 0 && from < w ? in[y * w + from] : 0;
    }
    __syncthreads();
    if (x >= w || y >= h)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * radius; k++)
        sum += weights[k] * s[threadIdx.y][threadIdx.x + k];
    out[y * w + x] = sum;
}

__global__ void columns(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0;
    for (int k = -radius; k <= radius; k++)
        sum += weights[k + radius] * in[min(max(y + k, 0), h - 1) * w + x];
    out[y * w + x] = sum;
}

int main() {
    const int w = 150, h = 30, n = w * h;
    float *host = (float *)malloc(n * sizeof *host), filter[] = {1, 2, 4, 8, 4, 2, 1};
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 256;
    CHECK(cudaMemcpyToSymbol(weights, filter, sizeof filter));
    float *in = to_device(host, n), *middle = device_array<float>(n), *out = device_array<float>(n);
    rows<<<dim3(3, 8), dim3(64, 4)>>>(in, middle, w, h);
    columns<<<dim3(2, h), 96>>>(middle, out, w, h);
    CHECK_KERNEL();
    print_array("rows", middle, n);
    print_array("both", out, n);
    free(host);
}
