#include "several_files.h"

#include "program.h"

__device__ int calls = 1000;
__constant__ float factors[4] = {1, 10, 100, 1000};

__device__ float scaled(float x, int which) {
    return x * factors[which];
}

__device__ operation chosen = scaled;

__global__ void look(int *to) {
    *to = calls;
}

void prepare_other() {
    float halves[2] = {0.5f, 0.25f};
    CHECK(cudaMemcpyToSymbol(factors, halves, sizeof halves));
}

int calls_seen_by_other() {
    int *to = managed_array<int>(1);
    look<<<1, 1>>>(to);
    CHECK_KERNEL();
    return *to;
}
