/* Floyd and Warshall: all shortest paths, with one launch per vertex. */
#include "program.h"

__global__ void through(int *d, int n, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    __shared__ int by;
    if (threadIdx.x == 0)
        by = d[y * n + k];
    __syncthreads();
    if (x < n)
        d[y * n + x] = min(d[y * n + x], by + d[k * n + x]);
}

int main() {
    const int n = 40;
    int host[n * n];
    for (int i = 0; i < n * n; i++)
        host[i] = i / n == i % n ? 0 : mix(i) % 5 ? 1 << 20 : 1 + mix(i + 1) % 100;
    int *d = to_device(host, n * n);
    for (int k = 0; k < n; k++)
        through<<<dim3(1, n), 64>>>(d, n, k);
    CHECK_KERNEL();
    print_array("paths", d, n * n);
}
