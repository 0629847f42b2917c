/* Loads and stores with cache operators, and volatile ones. */
#include "program.h"

__global__ void copy(const int *__restrict__ a, const float4 *b, const double2 *c, int *d, float4 *e,
                     double2 *f, volatile int *g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = __ldg(a + i) + __ldcg(a + i + 1) + __ldca(a + i + 2) + __ldcs(a + i + 3) + __ldlu(a + i + 4) +
              __ldcv(a + i + 5);
    float4 four = __ldcg(b + i);
    double2 two = __ldcs(c + i);
    four.x += __ldg(b + (i ^ 1)).w;
    two.y += __ldg(&c[i].x);
    __stwb(d + i, sum);
    __stcg(e + i, four);
    __stcs(f + i, two);
    __stwt(d + i + 256, sum ^ 1);
    g[i] = g[i] + g[i ^ 3];
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.s32 %0, [%1];" : "=r"(sum) : "l"(a + 2 * i));
    d[i + 512] = sum;
}

int main() {
    const int n = 256;
    int *host = (int *)malloc(16 * n * sizeof(int));
    for (int i = 0; i < 16 * n; i++)
        host[i] = mix(i) % 1000;
    float four[4 * n];
    double two[2 * n];
    for (int i = 0; i < 4 * n; i++)
        four[i] = host[i] / 4.0f;
    for (int i = 0; i < 2 * n; i++)
        two[i] = host[i] / 8.0;
    int *d = device_array<int>(3 * n), *g = to_device(host, n);
    float4 *e = device_array<float4>(n);
    double2 *f = device_array<double2>(n);
    copy<<<2, 128>>>(to_device(host, 16 * n), (float4 *)to_device(four, 4 * n),
                     (double2 *)to_device(two, 2 * n), d, e, f, g);
    CHECK_KERNEL();
    print_array("ints", d, 3 * n);
    print_array("floats", (float *)e, 4 * n);
    print_array("doubles", (double *)f, 2 * n);
    free(host);
}
