/* bfloat16: arithmetic, pairs, and a dot product with a single-precision sum. */
#include <cuda_bf16.h>

#include "program.h"

__global__ void compute(const float *a, const float *b, __nv_bfloat16 *out, float *dot, int n) {
    int i = threadIdx.x;
    __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16_rn(b[i]);
    __nv_bfloat162 p = __floats2bfloat162_rn(a[i], b[i]), q = __bfloat162bfloat162(y), s = __hfma2(p, q, p);
    __nv_bfloat16 r[] = {x + y,
                         x - y,
                         x * y,
                         x / y,
                         __hfma(x, y, x),
                         __hmax(x, y),
                         __hmin(x, y),
                         __habs(x),
                         -x,
                         __low2bfloat16(s),
                         __high2bfloat16(s),
                         __float2bfloat16_rd(a[i]),
                         __float2bfloat16_ru(b[i]),
                         __int2bfloat16_rn(i * 1001),
                         __hlt(x, y) ? x : y,
                         __hfma_relu(x, y, -y)};
    for (int k = 0; k < sizeof r / sizeof *r; k++)
        out[k * n + i] = r[k];
    float sum = __bfloat162float(x) * __bfloat162float(y);
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0U, sum, step);
    if ((i & 31) == 0)
        dot[i / 32] = sum;
}

int main() {
    const int n = 128, results = 16;
    float a[n], b[n], dots[4];
    for (int i = 0; i < n; i++) {
        a[i] = (int)mix(i) / 1e7f;
        b[i] = (int)mix(i + n) / 3e8f;
    }
    __nv_bfloat16 *out = device_array<__nv_bfloat16>(n * results);
    float *dot = device_array<float>(4);
    compute<<<1, n>>>(to_device(a, n), to_device(b, n), out, dot, n);
    CHECK_KERNEL();
    for (int k = 0; k < results; k++) {
        __nv_bfloat16 *row = to_host(out + k * n, n);
        printf("%2d %08x %g\n", k, digest(row, n * sizeof *row), __bfloat162float(row[3]));
        free(row);
    }
    CHECK(cudaMemcpy(dots, dot, sizeof dots, cudaMemcpyDeviceToHost));
    printf("%.9g %.9g\n", dots[0], dots[3]);
}
