/* Edge detection in a byte image, and conversion of its colours to grey: uchar4 in, one byte out. */
#include "program.h"

__global__ void grey(const uchar4 *in, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 c = in[i];
        out[i] = (c.x * 77 + c.y * 150 + c.z * 29) >> 8;
    }
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char s[18][36];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 18 * 34; i += 512) {
        int x = min(max(x0 + i % 34, 0), w - 1), y = min(max(y0 + i / 34, 0), h - 1);
        s[i / 34][i % 34] = in[y * w + x];
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, a = threadIdx.x, b = threadIdx.y;
    if (x >= w || y >= h)
        return;
    int gx = s[b][a + 2] + 2 * s[b + 1][a + 2] + s[b + 2][a + 2] - s[b][a] - 2 * s[b + 1][a] - s[b + 2][a];
    int gy = s[b + 2][a] + 2 * s[b + 2][a + 1] + s[b + 2][a + 2] - s[b][a] - 2 * s[b][a + 1] - s[b][a + 2];
    out[y * w + x] = min(abs(gx) + abs(gy), 255);
}

int main() {
    const int w = 75, h = 50, n = w * h;
    uchar4 host[n];
    for (int i = 0; i < n; i++) {
        int x = i % w - 40, y = i / w - 25;
        unsigned char v = x * x + y * y < 300 ? 200 : mix(i) % 20;
        host[i] = make_uchar4(v, v / 2, 255 - v, 255);
    }
    unsigned char *middle = device_array<unsigned char>(n), *out = device_array<unsigned char>(n);
    grey<<<(n + 255) / 256, 256>>>(to_device(host, n), middle, n);
    sobel<<<dim3(3, 4), dim3(32, 16)>>>(middle, out, w, h);
    CHECK_KERNEL();
    print_array("grey", middle, n);
    print_array("edges", out, n);
}
