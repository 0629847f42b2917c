/* Integers: quotients, high halves, multiply-add, absolute differences, dot products of
 * bytes. */
#include "program.h"

__global__ void compute(const int *a, const int *b, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = a[i], y = b[i] | 1;
    unsigned ux = x, uy = y;
    long long wide = ((long long)x << 20) ^ y, h = 0;
    unsigned long long uwide = wide;
    h += x / y + x % y + ux / uy + ux % uy + x / 7 + x % 10 + ux / 1000;
    h = h * 31 + wide / y + wide % 1000003 + uwide / (uy | 1) + uwide % 12345;
    h = h * 31 + __mulhi(x, y) + __umulhi(ux, uy) + __mul24(x, y) + __umul24(ux, uy);
    h = h * 31 + __mul64hi(wide, wide) + __umul64hi(uwide, uwide);
    h = h * 31 + __sad(x, y, 5) + __usad(ux, uy, 7) + __hadd(x, y) + __rhadd(x, y) + __uhadd(ux, uy);
    h = h * 31 + abs(x) + llabs(wide) + min(x, y) + max(ux, uy) + min(wide, (long long)y);
    h = h * 31 + __dp4a(x, y, 3) + __dp4a(ux, uy, 3U) + __dp2a_lo(x, y, 1) + __dp2a_hi(ux, uy, 1U);
    h = h * 31 + (short)x * (short)y + (char)x * (unsigned char)y + (x << (y & 31)) + (x >> (y & 31)) +
        (ux >> 3);
    h = h * 31 + (x > y) - (ux > uy) + (wide > y) + !x + -x + ~y;
    h = h * 31 + (long long)((__int128)wide * wide >> 70);
    out[i] = h;
}

int main() {
    const int n = 2000;
    int a[n], b[n];
    for (int i = 0; i < n; i++) {
        a[i] = mix(i);
        b[i] = (int)mix(i + n) >> i % 31;
    }
    a[0] = b[0] = -2147483647;
    long long *out = device_array<long long>(n);
    compute<<<16, 128>>>(to_device(a, n), to_device(b, n), out, n);
    CHECK_KERNEL();
    long long *host = to_host(out, n);
    for (int i = 0; i < 5; i++)
        printf("%lld\n", host[i]);
    print_array("all", out, n);
    free(host);
}
