/* Heat diffusion on a plate: a five-point stencil from global memory and from a tile with a border. */
#include "program.h"

__global__ void plain(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
        out[i] = in[i];
    else
        out[i] = in[i] + 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i]);
}

__global__ void tiled(const float *in, float *out, int w, int h) {
    __shared__ float s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, tx = threadIdx.x + 1,
        ty = threadIdx.y + 1;
    bool in_plate = x < w && y < h;
    if (in_plate) {
        s[ty][tx] = in[y * w + x];
        if (tx == 1 && x > 0)
            s[ty][0] = in[y * w + x - 1];
        if (tx == 16 && x + 1 < w)
            s[ty][17] = in[y * w + x + 1];
        if (ty == 1 && y > 0)
            s[0][tx] = in[(y - 1) * w + x];
        if (ty == 16 && y + 1 < h)
            s[17][tx] = in[(y + 1) * w + x];
    }
    __syncthreads();
    if (!in_plate)
        return;
    float c = s[ty][tx];
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        c = c + 0.25f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - 4 * c);
    out[y * w + x] = c;
}

int main() {
    const int w = 70, h = 45, n = w * h;
    float host[n];
    for (int i = 0; i < n; i++)
        host[i] = i % w == 0 ? 100 : mix(i) % 10;
    float *a = to_device(host, n), *b = device_array<float>(n);
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    for (int k = 0; k < 2; k++) {
        plain<<<grid, block>>>(a, b, w, h);
        tiled<<<grid, block>>>(b, a, w, h);
    }
    CHECK_KERNEL();
    print_array("plate", a, n);
}
