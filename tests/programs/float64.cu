/* Double precision: rounding modes, fma, quotients, roots, compensated sums. */
#include "program.h"

__global__ void compute(const double *a, const double *b, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = a[i], y = b[i];
    double r[] = {x + y,
                  x * y,
                  x / y,
                  sqrt(x * x),
                  fma(x, y, -x * y),
                  __dadd_rd(x, y),
                  __dmul_ru(x, y),
                  __ddiv_rz(x, y),
                  __dsqrt_rd(fabs(y)),
                  __drcp_rn(y),
                  __fma_rz(x, y, x),
                  fmin(x, y),
                  fmax(x, y),
                  floor(x),
                  ceil(y),
                  trunc(x),
                  rint(x * 10),
                  round(y * 10),
                  fmod(x, y),
                  ldexp(x, 30),
                  cbrt(8.0 * (i + 1) * (i + 1) * (i + 1)) - 2.0 * (i + 1) < 1e-9 ? 1.0 : 0.0,
                  rsqrt(4.0)};
    for (int k = 0; k < sizeof r / sizeof *r; k++)
        out[k * n + i] = r[k];
}

/* Kahan's sum: the correction is the part that the sum rounds away. */
__global__ void kahan(const double *a, int n, double *out) {
    double sum = 0, lost = 0, plain = 0;
    for (int i = 0; i < n; i++) {
        double y = a[i] * 1e-3 - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
        plain += a[i] * 1e-3;
    }
    out[0] = sum;
    out[1] = plain;
}

int main() {
    const int n = 300, results = 22;
    double a[n], b[n], sums[2];
    for (int i = 0; i < n; i++) {
        a[i] = ((int)mix(i)) / 65537.0;
        b[i] = ((int)mix(i + n) | 1) / 1e7;
    }
    double *da = to_device(a, n), *out = device_array<double>(n * results);
    compute<<<3, 128>>>(da, to_device(b, n), out, n);
    CHECK_KERNEL();
    for (int k = 0; k < results; k++) {
        double *row = to_host(out + k * n, n);
        printf("%2d %08x %.17g\n", k, digest(row, n * sizeof *row), row[7]);
        free(row);
    }
    kahan<<<1, 1>>>(da, n, out);
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    printf("%.17g %.17g\n", sums[0], sums[1]);
}
