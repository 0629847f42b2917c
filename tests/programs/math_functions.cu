/* The functions of libdevice, to as many digits as all devices agree on. */
#include "program.h"

__global__ void compute(float *f, double *d) {
    int i = threadIdx.x;
    float x = 0.05f + i * 0.11f;
    double y = 0.05 + i * 0.11;
    float fs[] = {sinf(x),      cosf(x),          tanf(x),       expf(x),   exp2f(x),       logf(x),
                  log2f(x),     log10f(x),        powf(x, 1.7f), sinhf(x),  tanhf(x),       asinf(x / 4),
                  acosf(x / 4), atanf(x),         atan2f(x, 2),  erff(x),   lgammaf(x + 1), tgammaf(x + 1),
                  cbrtf(x),     rsqrtf(x),        hypotf(x, 3),  log1pf(x), expm1f(x),      sinpif(x),
                  normcdff(x),  j0f(x),           __sinf(x),     __cosf(x), __expf(x),      __logf(x),
                  __powf(x, 2), __fdividef(x, 3), __tanf(x)};
    double ds[] = {
        sin(y),      cos(y),         tan(y),       exp(y),      exp10(y),          log(y),  log2(y),
        pow(y, 1.7), cosh(y),        atanh(y / 4), asin(y / 4), atan2(y, 2.0),     erfc(y), tgamma(y + 1),
        cbrt(y),     rhypot(y, 3.0), expm1(y),     cospi(y),    normcdfinv(y / 4), y0(y)};
    for (int k = 0; k < 33; k++)
        f[k * 32 + i] = fs[k];
    for (int k = 0; k < 20; k++)
        d[k * 32 + i] = ds[k];
}

int main() {
    float *f = managed_array<float>(33 * 32);
    double *d = managed_array<double>(20 * 32);
    compute<<<1, 32>>>(f, d);
    CHECK_KERNEL();
    for (int k = 0; k < 33; k++)
        printf("f %2d %.3g %.3g %.3g\n", k, f[k * 32], f[k * 32 + 10], f[k * 32 + 31]);
    for (int k = 0; k < 20; k++)
        printf("d %2d %.11g %.11g %.11g\n", k, d[k * 32], d[k * 32 + 10], d[k * 32 + 31]);
}
