/* bar.sync with several numbers: pairs of warps that wait only for each other; bar.arrive; barrier
 * reductions. */
#include "program.h"

__global__ void pairs(int *out) {
    __shared__ int x[128];
    int i = threadIdx.x, pair = i / 64;
    for (int k = 0; k < 3 + pair; k++) {
        x[i] = i * 10 + k + (k ? out[i] : 0);
        asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
        out[i] = x[i ^ 63 & 63];
        asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
    }
}

__global__ void signal(int *out) {
    __shared__ volatile int value[32];
    if (threadIdx.x < 32) {
        value[threadIdx.x] = threadIdx.x * threadIdx.x;
        __threadfence_block();
        asm volatile("bar.arrive 5, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 5, 64;" ::: "memory");
        out[threadIdx.x - 32] = value[63 - threadIdx.x];
    }
}

int main() {
    int *out = device_array<int>(128);
    pairs<<<1, 128>>>(out);
    CHECK_KERNEL();
    print_array("pairs", out, 128);
    signal<<<1, 64>>>(out);
    CHECK_KERNEL();
    print_array("signal", out, 32);
}
