/* Single precision where every bit is defined: rounding modes, fma, quotients, roots, subnormals, NaN. */
#include "program.h"

__global__ void compute(const unsigned *bits, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = __uint_as_float(bits[i]), b = __uint_as_float(bits[n - 1 - i]),
          c = __uint_as_float(bits[i ^ 1]);
    float *to = out + i;
    float r[] = {a + b,
                 a - b,
                 a * b,
                 a / b,
                 sqrtf(fabsf(a)),
                 fmaf(a, b, c),
                 1 / a,
                 a * b + c,
                 __fadd_rd(a, b),
                 __fadd_ru(a, b),
                 __fmul_rz(a, b),
                 __fmul_ru(a, b),
                 __fdiv_rd(a, b),
                 __fsqrt_ru(fabsf(b)),
                 __frcp_rz(a),
                 __fmaf_rd(a, b, c),
                 fminf(a, b),
                 fmaxf(a, b),
                 floorf(a),
                 ceilf(b),
                 truncf(a),
                 rintf(b),
                 roundf(a),
                 nearbyintf(c),
                 copysignf(a, b),
                 fabsf(c),
                 -c,
                 fmodf(a, b),
                 remainderf(a, b),
                 fdimf(a, b),
                 ldexpf(a, 5),
                 scalbnf(b, -20),
                 nextafterf(a, b),
                 (float)ilogbf(c),
                 logbf(a),
                 __saturatef(a),
                 (float)isnan(a / b),
                 (float)signbit(b),
                 (float)(a < b),
                 (float)isinf(a * b),
                 hypotf(0, b) - fabsf(b)};
    for (int k = 0; k < sizeof r / sizeof *r; k++)
        to[k * n] = isnan(r[k]) ? -12345 : r[k];
}

int main() {
    const int n = 512, results = 41;
    unsigned host[n],
        special[] = {0,          0x80000000, 1,          0x807fffff, 0x3f800000, 0xbf800000, 0x7f800000,
                     0xff800000, 0x7fc00000, 0x7f7fffff, 0x00800000, 0x4b000001, 0x3effffff, 0xc0490fdb};
    for (int i = 0; i < n; i++)
        host[i] = i < 14 ? special[i] : i < 256 ? (mix(i) & 0x87ffffff) + 0x3c000000 : mix(i);
    float *out = device_array<float>(n * results);
    compute<<<4, 128>>>(to_device(host, n), out, n);
    CHECK_KERNEL();
    for (int k = 0; k < results; k++) {
        float *row = to_host(out + k * n, n);
        printf("%2d %08x %.9g %.9g\n", k, digest(row, n * sizeof *row), row[100], row[300]);
        free(row);
    }
}
