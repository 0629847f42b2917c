/* Recursive functions, also mutually: Ackermann, Fibonacci, a search on the call stack. */
#include "program.h"

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ bool odd(int n);
__device__ __noinline__ bool even(int n) {
    return n == 0 || odd(n - 1);
}
__device__ __noinline__ bool odd(int n) {
    return n != 0 && even(n - 1);
}

__device__ __noinline__ int queens(int n, unsigned columns, unsigned left, unsigned right) {
    if (columns == (1u << n) - 1)
        return 1;
    int found = 0;
    for (unsigned open = ~(columns | left | right) & ((1u << n) - 1); open; open &= open - 1) {
        unsigned bit = open & -open;
        found += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

__global__ void run(int *out) {
    int i = threadIdx.x;
    out[i] = ackermann(2, i % 5);
    out[32 + i] = fibonacci(i % 12);
    out[64 + i] = even(i % 9) * 2 + odd(i % 9);
    out[96 + i] = i < 8 ? queens(6, 1u << i % 6, 2u << i % 6, (1u << i % 6) >> 1) : 0;
}

int main() {
    int *out = device_array<int>(128), host[128];
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    run<<<1, 32>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        printf("%d %d %d %d\n", host[i], host[32 + i], host[64 + i], host[96 + i]);
    print_array("all", out, 128);
}
