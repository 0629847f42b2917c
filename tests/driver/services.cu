/* Kernels that print, fail, allocate and meet. */
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>

extern "C" {

__global__ void say(int number) {
    printf("kernel %d\n", number);
}

__global__ void must_be_small(int number) {
    printf("asserting\n");
    assert(number < 10);
}

__global__ void take(void **kept, size_t bytes) {
    *kept = malloc(bytes);
}

__global__ void meet(int *out) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    out[grid.thread_rank()] = 1;
    grid.sync();
    int sum = 0;
    for (unsigned i = 0; i < grid.size(); i++)
        sum += ((volatile int *)out)[i];
    grid.sync();
    out[grid.thread_rank()] = sum;
}
}
