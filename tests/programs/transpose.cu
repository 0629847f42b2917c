/* A transpose: naive, through a tile, through a padded tile, and with a swizzle. */
#include "program.h"

__global__ void naive(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32 && x < w; k += 8)
        if (y + k < h)
            out[x * h + y + k] = in[(y + k) * w + x];
}

template <int PAD, bool SWIZZLE> __global__ void tiled(const float *in, float *out, int w, int h) {
    __shared__ float s[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h)
            s[threadIdx.y + k][SWIZZLE ? threadIdx.x ^ (threadIdx.y + k) : threadIdx.x] = in[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w)
            out[(y + k) * h + x] =
                s[threadIdx.x][SWIZZLE ? (threadIdx.y + k) ^ threadIdx.x : threadIdx.y + k];
}

int main() {
    const int w = 100, h = 70, n = w * h;
    float *host = (float *)malloc(n * sizeof *host);
    for (int i = 0; i < n; i++)
        host[i] = i;
    float *in = to_device(host, n), *out = device_array<float>(n);
    dim3 grid((w + 31) / 32, (h + 31) / 32), block(32, 8);
    naive<<<grid, block>>>(in, out, w, h);
    print_array("naive", out, n);
    tiled<0, false><<<grid, block>>>(in, out, w, h);
    print_array("tile", out, n);
    tiled<1, false><<<grid, block>>>(in, out, w, h);
    print_array("padded", out, n);
    tiled<0, true><<<grid, block>>>(in, out, w, h);
    CHECK_KERNEL();
    print_array("swizzled", out, n);
    free(host);
}
