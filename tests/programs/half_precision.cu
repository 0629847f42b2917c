/* Half precision: __half, __half2, comparisons, fma with relu, conversions. */
#include <cuda_fp16.h>

#include "program.h"

__global__ void compute(const float *a, const float *b, __half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = __float2half(a[i]), y = __float2half_rz(b[i]), z = __half(0.5f);
    __half2 p = __halves2half2(x, y), q = __floats2half2_rn(b[i], a[i]);
    __half2 s = __hfma2(p, q, __hadd2(p, q)), t = __hmul2(__hsub2(p, q), __half2half2(z));
    __half r[] = {x + y,
                  x - y,
                  x * y,
                  x / y,
                  __hfma(x, y, z),
                  __hmax(x, y),
                  __hmin(x, y),
                  __habs(x),
                  -y,
                  hfloor(x),
                  hceil(y),
                  hrint(x),
                  htrunc(y),
                  __low2half(s),
                  __high2half(s),
                  __low2half(t),
                  __high2half(t),
                  __hfma_relu(x, y, -z),
                  __hadd_sat(x, y),
                  __int2half_rn(i * 37),
                  __hgt(x, y) ? x : y,
                  __ushort_as_half((unsigned short)__hgt2_mask(p, q)),
                  __low2half(h2rcp(__half2(2, 4))),
                  __float2half_ru(a[i] / 3),
                  __double2half(a[i] / 7.0),
                  __float2half(hsqrt(__half(4.0f)))};
    for (int k = 0; k < sizeof r / sizeof *r; k++)
        out[k * n + i] = r[k];
    out[26 * n + i] = __half(__half2int_rz(x) + __half2int_ru(y) + __heq(x, x) + __hltu(x, y));
}

int main() {
    const int n = 256, results = 27;
    float a[n], b[n];
    for (int i = 0; i < n; i++) {
        a[i] = (int)mix(i) / 1e8f;
        b[i] = i % 16 ? (int)mix(i + n) / 1e9f : i / 16.0f - 7.5f;
    }
    __half *out = device_array<__half>(n * results);
    compute<<<2, 128>>>(to_device(a, n), to_device(b, n), out, n);
    CHECK_KERNEL();
    for (int k = 0; k < results; k++) {
        __half *row = to_host(out + k * n, n);
        printf("%2d %08x %g %g\n", k, digest(row, n * sizeof *row), __half2float(row[3]),
               __half2float(row[200]));
        free(row);
    }
}
