/* printf in a kernel: every conversion, strings, and what it returns. */
#include "program.h"

__global__ void print(const char *text) {
    printf("%d %i %u %x %X %o\n", -5, 7, 4000000000U, 0xbeef, 0xBEEF, 8);
    printf("%ld %lld %llu %#llx\n", -5L, -123456789012LL, 18446744073709551615ULL, 0x123456789abcLL);
    printf("%f %.3f %10.2f|%-10.1f|%+g %e %G\n", 1.5, 3.14159, 2.71828, 9.99, 0.5, 12345.678, 1e-10);
    printf("[%5d] [%-5d] [%05d] [%.4d] [%*d]\n", 42, 42, 42, 42, 6, 42);
    printf("%c%c%c %s %10s|%-6s| %%\n", 'a', 'b', 'c', "literal", "right", "left");
    printf("%s", text);
    int none = printf("no arguments\n");
    int three = printf("%d %d %d\n", 1, 2, 3);
    printf("returned %d %d\n", none, three);
    float single = 0.1f;
    short narrow = -3;
    printf("%.10f %hd %d %p\n", single, narrow, (char)200, (void *)0x1234);
}

__global__ void threads() {
    if (threadIdx.x % 8 == 3)
        printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

int main() {
    char *text = managed_array<char>(64);
    snprintf(text, 64, "from %s\n", "managed memory");
    print<<<1, 1>>>(text);
    CHECK_KERNEL();
    threads<<<1, 32>>>();
    CHECK_KERNEL();
}
