/* A seven-point stencil in a volume: each thread walks a column and keeps three planes in registers. */
#include "program.h"

__global__ void step(const float *in, float *out, int w, int h, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int plane = w * h, i = y * w + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < d - 1; z++) {
        float above = in[i + (z + 1) * plane];
        const float *p = in + i + z * plane;
        out[i + z * plane] = 0.4f * here + 0.1f * (below + above + p[-1] + p[1] + p[-w] + p[w]);
        below = here;
        here = above;
    }
}

int main() {
    const int w = 40, h = 20, d = 12, n = w * h * d;
    float *host = (float *)malloc(n * sizeof *host);
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 1000;
    float *a = to_device(host, n), *b = to_device(host, n);
    step<<<dim3(2, 5), dim3(32, 4)>>>(a, b, w, h, d);
    step<<<dim3(2, 5), dim3(32, 4)>>>(b, a, w, h, d);
    CHECK_KERNEL();
    print_array("space", a, n);
    free(host);
}
