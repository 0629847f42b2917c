#include <cassert>
#include <cstdio>

extern "C" __global__ void conversions(const char *text, const int *nothing) {
    printf("plain\n");
    printf("%d|%5d|%-5d|%05d|%+d|% d\n", -7, 42, 42, 42, 42, 42);
    printf("%u|%x|%X|%#x|%o|%#o\n", 3000000000u, 0xbeefu, 0xbeefu, 0xbeefu, 8u, 8u);
    printf("%lld|%llu|%llx|%ld\n", -5000000000ll, 18446744073709551615ull, 0x123456789abcdefull, -1l);
    printf("%hd|%hhd|%hu|%hhu\n", 70000, 300, 70000, 300);
    printf("%f|%.2f|%10.3f|%-10.1f|%e|%G|%g|%a\n", 1.5, 3.14159, 2.71828, 9.87, 12345.678, 1e-10, 100000.0,
           1.0);
    printf("%c%c%c|%5c|%-3c|\n", 'a', 'b', 'c', 'd', 'e');
    printf("%s|%10s|%-10s|%.3s|%*s|%-*s|\n", text, text, text, text, 8, text, 8, text);
    printf("%p|%p|%s\n", (const void *)0x1234, (const void *)nothing, (const char *)nothing);
    printf("%%|%5.1f%%|%d%%\n", 99.5, 7);
    printf("%*d|%-*d|%.*f\n", 6, 1, -6, 2, 3, 2.0);
    printf("%f and %f and %d and %lld and %f\n", 1.0f, 2.0, 3, 4ll, 5.0f);
}

#pragma nv_diag_suppress 226
extern "C" __global__ void unknown_conversion(void) {
    printf("%y %d\n", 5);
}

/* Widths and precisions at their limits. */
extern "C" __global__ void fields(const char *text, const char *nothing) {
    printf("%.5s|%.6s|%8s|%-8s|%6s|%7s|%.0s|%1.3s|%1s\n", nothing, nothing, nothing, nothing, nothing,
           nothing, text, text, text);
    printf("%*d|%*d|%-*d|%.*d|%.*d|%.*f|%.0f\n", 0, 5, -3, 7, -1, 8, 0, 0, 1, 0, -1, 1.5, 2.0);
    printf("%-+ #08x|%+ 08d|%- 5d|% -5d|%*.*s|\n", 255, 9, 3, -3, 7, 2, text);
    printf("%4095d|%4096d|%4097d|%*d|%-*d|%40960d|\n", 1, 2, 3, 5000, 4, -5000, 5, 6);
}

extern "C" __global__ void local_text(int n) {
    char text[16];
    for (int i = 0; i < 5; i++)
        text[i] = 'a' + (n + i + threadIdx.x) % 26;
    text[5] = 0;
    printf("%s\n", text);
}

extern "C" __global__ void order(void) {
    if (threadIdx.x % 40 == 3)
        printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        printf("block %d ends\n", blockIdx.x);
}

extern "C" __global__ void results(int *out) {
    out[0] = printf("%d %s %f\n", 1, "two", 3.0);
    out[1] = printf("none\n");
    out[2] = printf("");
}

extern "C" __global__ void flood(int lines) {
    for (int i = 0; i < lines; i++)
        printf("%d %d\n", (int)blockIdx.x, i);
}

extern "C" __global__ void bad_string(const char *text) {
    printf("%d %s\n", 1, text);
}

__device__ __noinline__ void check(int value, int limit) {
    assert(value < limit && "too large");
}

extern "C" __global__ void asserts(int limit) {
    printf("before %d\n", (int)blockIdx.x);
    check(blockIdx.x * blockDim.x + threadIdx.x, limit);
    printf("after %d\n", (int)blockIdx.x);
}

/* The largest width, followed by digits; repeated flags. */
extern "C" __global__ void widths(const char *empty) {
    printf("%*d|%40951d|%1s|%-----++  ##008x|\n", 4095, 1, 2, empty, 255);
}
