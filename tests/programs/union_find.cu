/* A graph's connected components: every vertex hooks itself to the smaller root, without locks. */
#include "program.h"

__device__ int root(int *parent, int v) {
    while (true) {
        int up = ((volatile int *)parent)[v];
        if (up == v)
            return v;
        v = up;
    }
}

__global__ void join(const int2 *edges, int n, int *parent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int a = root(parent, edges[i].x), b = root(parent, edges[i].y);
    while (a != b) {
        int high = max(a, b), low = min(a, b);
        int seen = atomicCAS(&parent[high], high, low);
        if (seen == high)
            break;
        a = root(parent, seen);
        b = root(parent, low);
    }
}

__global__ void flatten(int *parent, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int r = root(parent, i);
    atomicAdd(count, r == i);
    parent[i] = r;
}

int main() {
    const int n = 1000, m = 700;
    int2 edges[m];
    int parent[n];
    for (int i = 0; i < m; i++)
        edges[i] = make_int2(mix(i) % n, mix(i + m) % n);
    for (int i = 0; i < n; i++)
        parent[i] = i;
    int *dp = to_device(parent, n), *count = device_array<int>(1);
    join<<<6, 128>>>(to_device(edges, m), m, dp);
    flatten<<<8, 128>>>(dp, count, n);
    CHECK_KERNEL();
    print_array("parts", count, 1);
    print_array("roots", dp, n);
}
