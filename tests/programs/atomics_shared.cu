/* Atomics on a block's shared memory: contended, spread, 64-bit, float and double. */
#include "program.h"

__global__ void run(unsigned long long *out) {
    __shared__ unsigned counts[32], one, most;
    __shared__ int least;
    __shared__ unsigned long long wide, first;
    __shared__ float sum;
    __shared__ double dsum;
    int i = threadIdx.x;
    if (i < 32)
        counts[i] = 0;
    if (i == 0) {
        one = most = 0;
        wide = 0;
        least = 1 << 30;
        first = ~0ULL;
        sum = 0;
        dsum = 0;
    }
    __syncthreads();
    unsigned x = mix(i + blockIdx.x * 1000);
    atomicAdd(&counts[x & 31], 1);
    atomicAdd(&counts[i & 31], 1000);
    atomicAdd(&one, 1);
    atomicMax(&most, x);
    atomicMin(&least, (int)(x >> 1));
    atomicAdd(&wide, (unsigned long long)x << 8);
    atomicCAS(&first, ~0ULL, 42ULL);
    atomicAdd(&sum, 0.25f);
    atomicAdd(&dsum, 0.125 * (i & 15));
    atomicXor(&counts[(i * 3) & 31], x & 0xff0000);
    __syncthreads();
    if (i < 32)
        out[blockIdx.x * 40 + i] = counts[i];
    if (i == 32) {
        unsigned long long *to = out + blockIdx.x * 40 + 32;
        to[0] = one;
        to[1] = most;
        to[2] = least;
        to[3] = wide;
        to[4] = first;
        to[5] = (unsigned long long)(sum * 4);
        to[6] = (unsigned long long)(dsum * 8);
    }
}

int main() {
    unsigned long long *out = device_array<unsigned long long>(3 * 40);
    run<<<3, 256>>>(out);
    CHECK_KERNEL();
    for (int k = 0; k < 3; k++)
        print_array("block", out + 40 * k, 39);
}
