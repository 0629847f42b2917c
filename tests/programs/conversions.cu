/* Conversions between all pairs of number types, with rounding modes and saturation. */
#include "program.h"

__global__ void convert(const double *in, long long *out, int n) {
    int i = threadIdx.x;
    double d = in[i];
    float f = (float)d;
    long long l = (long long)d;
    long long r[] = {(signed char)(int)l,
                     (unsigned char)(int)l,
                     (short)l,
                     (unsigned short)l,
                     (int)l,
                     (unsigned)l,
                     (int)f,
                     (unsigned)f,
                     (long long)f,
                     (long long)(unsigned long long)f,
                     (int)d,
                     (unsigned)d,
                     (long long)(unsigned long long)d,
                     __float2int_rn(f),
                     __float2int_rd(f),
                     __float2int_ru(f),
                     __float2uint_rn(f),
                     __double2int_rd(d),
                     __double2ll_ru(d),
                     __float2ll_rn(f),
                     __float_as_int((float)(int)l),
                     __float_as_int((float)l),
                     __double_as_longlong((double)l),
                     __float_as_int(__int2float_rz((int)l)),
                     __float_as_int(__uint2float_ru((unsigned)l)),
                     __float_as_int(__ll2float_rd(l)),
                     __float_as_int(__double2float_rz(d)),
                     __float_as_int(__double2float_ru(d)),
                     __double_as_longlong((double)f),
                     __double2hiint(d),
                     __double2loint(d),
                     __double_as_longlong(__hiloint2double(5, (int)l)),
                     (short)f,
                     (unsigned char)(unsigned)fabsf(f),
                     (bool)f,
                     __double_as_longlong((double)(unsigned)l)};
    for (int k = 0; k < sizeof r / sizeof *r; k++)
        out[k * n + i] = r[k];
}

int main() {
    const int n = 64, results = 36;
    double in[n] = {0,
                    -0.0,
                    0.5,
                    1.5,
                    2.5,
                    -0.5,
                    -1.5,
                    127.5,
                    128,
                    255.9,
                    32767.5,
                    65536,
                    16777217,
                    2147483647,
                    2147483648.0,
                    -2147483649.0,
                    4294967295.0,
                    4294967296.0,
                    9007199254740993.0,
                    1e18,
                    -1e18};
    for (int i = 21; i < n; i++)
        in[i] = (int)mix(i) * 1e-3 * (1 << i % 20);
    long long *out = device_array<long long>(n * results);
    convert<<<1, n>>>(to_device(in, n), out, n);
    CHECK_KERNEL();
    for (int k = 0; k < results; k++) {
        long long *row = to_host(out + k * n, n);
        printf("%2d %08x %lld %lld\n", k, digest(row, n * sizeof *row), row[13], row[40]);
        free(row);
    }
}
