/* Breadth-first search: distances in a graph, with a frontier in two queues that grow by atomics. */
#include "program.h"

__global__ void expand(const int *start, const int *to, const int *queue, int length, int *next,
                       int *next_length, int *distance, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    int v = queue[i];
    for (int k = start[v]; k < start[v + 1]; k++)
        if (atomicCAS(&distance[to[k]], -1, level) == -1)
            next[atomicAdd(next_length, 1)] = to[k];
}

int main() {
    const int n = 500;
    static int start[n + 1], to[n * 4], distance[n];
    for (int v = 0, k = 0; v < n; v++) {
        for (int j = 0; j < 1 + mix(v) % 3; j++)
            to[k++] = mix(v * 5 + j + 1) % n;
        start[v + 1] = k;
        distance[v] = v ? -1 : 0;
    }
    int *ds = to_device(start, n + 1), *dt = to_device(to, n * 4), *dd = to_device(distance, n);
    int *queue = device_array<int>(n), *next = device_array<int>(n), *length = managed_array<int>(1),
        size = 1;
    for (int level = 1; size; level++) {
        *length = 0;
        expand<<<(size + 63) / 64, 64>>>(ds, dt, queue, size, next, length, dd, level);
        CHECK_KERNEL();
        size = *length;
        printf("level %d: %d\n", level, size);
        int *t = queue;
        queue = next;
        next = t;
    }
    print_array("distances", dd, n);
}
