/* Kernels that print, fail, allocate and use grid barriers. */
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

/* Uses data until the host stops it; flags: it has begun, it may end, it has ended. */
__global__ void use(volatile int *flags, volatile int *data) {
    while (!flags[1]) {
        data[threadIdx.x] = data[threadIdx.x] + 1;
        flags[0] = 1;
    }
    flags[2] = 1;
}

__global__ void use_texture(volatile int *flags, cudaTextureObject_t texture) {
    int sum = 0;
    while (!flags[1]) {
        sum += tex2D<int>(texture, threadIdx.x, 0);
        flags[0] = 1;
    }
    flags[2] = 1 + (sum == 12345);
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
