/* Calls, traps, the kernel's heap, arithmetic. */
#include "case.h"

typedef unsigned call_fn(unsigned);
static __device__ __noinline__ unsigned twice(unsigned x) {
    return 2 * x;
}
KERNEL(call_wild) {
    call_fn *f = twice;
    if (b)
        f = (call_fn *)a;
    o[T] = f(T);
}
KERNEL(traps) {
    o[T] = 1;
    if (T == 5)
        asm volatile("trap;");
}
KERNEL(breaks) {
    o[T] = 1;
    asm volatile("brkpt;");
}
KERNEL(heap_free) { /* memory that malloc did not return */
    free((void *)(b ? (long)(size_t)p + a : a));
    o[T] = 1;
}
KERNEL(heap_free_twice) {
    void *q = malloc(100);
    free(q);
    free(q);
    o[T] = 1;
}
KERNEL(heap_past_end) {
    volatile char *q = (volatile char *)malloc(100);
    o[T] = q[a] == 77 ? 2 : 1;
}
KERNEL(heap_after_free) {
    volatile char *q = (volatile char *)malloc(100);
    q[0] = 1;
    free((void *)q);
    o[T] = q[0] == 77 ? 2 : 1;
}
KERNEL(heap_large) {
    o[T] = malloc((size_t)a) == NULL;
}
KERNEL(divides) {
    unsigned zero = (unsigned)a;
    o[0] = 7u / zero;
    o[1] = 7u % zero;
    o[2] = (unsigned)(-7 / (int)zero);
    o[3] = (unsigned)(-7 % (int)zero);
    unsigned long long wide = 7ull / (unsigned long long)a, rest = 7ull % (unsigned long long)a;
    o[4] = (unsigned)wide, o[5] = (unsigned)(wide >> 32), o[6] = (unsigned)rest;
    o[7] = (unsigned)((int)b / -1);
    long long most = -7ll / a;
    o[8] = (unsigned)most, o[9] = (unsigned)(most >> 32);
}
KERNEL(shifts) {
    unsigned x = 0x80000001u, n = (unsigned)a;
    o[0] = x << n;
    o[1] = x >> n;
    o[2] = (unsigned)((int)x >> n);
    unsigned long long y = 0x8000000000000001ull;
    o[3] = (unsigned)(y << n), o[4] = (unsigned)(y >> n), o[5] = (unsigned)(((long long)y >> n) >> 32);
    o[6] = __funnelshift_l(x, 5, n), o[7] = __funnelshift_rc(x, 5, n);
}
KERNEL(converts) {
    float f = __int_as_float((int)a);
    o[0] = (unsigned)f, o[1] = (unsigned)(int)f, o[2] = (unsigned)(unsigned short)f,
    o[3] = (unsigned)(signed char)f;
    o[4] = (unsigned)(unsigned long long)f, o[5] = (unsigned)(long long)f;
}
KERNEL(multiplies_in_half) { /* mma.sync while half of the warp is elsewhere */
    unsigned d0 = 0, d1 = 0;
    if (T < 16 || b)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};"
                     : "=r"(d0), "=r"(d1)
                     : "r"(0x3c003c00), "r"(0x3c003c00), "r"(0x3c003c00), "r"(0), "r"(0));
    o[T] = d0 == 0xabcd;
}
KERNEL(matrix_row_unaligned) {
    __shared__ __align__(16) char s[1024];
    s[T] = 1;
    unsigned r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(r)
                 : "r"((unsigned)__cvta_generic_to_shared(s) + 16 * (T % 8) + (unsigned)a)
                 : "memory");
    o[T] = r == 0xabcd;
}
KERNEL(matrix_row_in_half) {
    __shared__ __align__(16) char s[1024];
    s[T] = 1;
    unsigned r = 0;
    if (T < 16)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(r)
                     : "r"((unsigned)__cvta_generic_to_shared(s) + 16 * (T % 8))
                     : "memory");
    o[T] = r == 0xabcd;
}
static __global__ __launch_bounds__(64) void bounded(unsigned *o, char *p, long a, long b) {
    if (T < WORDS)
        o[T] = 1;
}
KERNEL(plain) {
    if (T < WORDS)
        o[T] = 1;
}
KERNEL(prints) {
    printf("%s %d %d\n", (const char *)a, 1);
    o[T] = 1;
}
