/* A radix-2 Fourier transform in shared memory, and its inverse. */
#include "program.h"

const int n = 256;

__global__ void fft(const float2 *in, float2 *out, const float2 *roots, int sign) {
    __shared__ float2 s[n];
    int t = threadIdx.x;
    for (int k = t; k < n; k += n / 2)
        s[__brev(k) >> 24] = in[blockIdx.x * n + k];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        int k = t & (half - 1), low = (t - k) * 2 + k, high = low + half;
        float2 w = roots[k * (n / 2 / half)], a = s[low], b = s[high];
        w.y *= sign;
        float2 p = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        s[low] = make_float2(a.x + p.x, a.y + p.y);
        s[high] = make_float2(a.x - p.x, a.y - p.y);
    }
    __syncthreads();
    for (int k = t; k < n; k += n / 2)
        out[blockIdx.x * n + k] = s[k];
}

int main() {
    const int batch = 3;
    static float2 host[batch * n], roots[n / 2], back[batch * n];
    for (int i = 0; i < batch * n; i++)
        host[i] = make_float2((int)(mix(i) % 201) - 100, (int)(mix(i + 1000) % 201) - 100);
    /* By multiplication, not by a library's sine: this gives the same digits everywhere. */
    double x = 1, y = 0, c = 0.99969881869620425, s = 0.024541228522912288;
    for (int i = 0; i < n / 2; i++) {
        roots[i] = make_float2((float)x, (float)y);
        double t = x * c - y * s;
        y = x * s + y * c;
        x = t;
    }
    float2 *in = to_device(host, batch * n), *out = device_array<float2>(batch * n),
           *w = to_device(roots, n / 2);
    fft<<<batch, n / 2>>>(in, out, w, -1);
    fft<<<batch, n / 2>>>(out, in, w, 1);
    CHECK_KERNEL();
    print_array("spectrum", (float *)out, batch * n * 2);
    CHECK(cudaMemcpy(back, in, sizeof back, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < batch * n; i++)
        wrong += !(fabsf(back[i].x / n - host[i].x) < 1e-3f && fabsf(back[i].y / n - host[i].y) < 1e-3f);
    printf("%d wrong\n", wrong);
}
