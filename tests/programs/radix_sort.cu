/* A stable radix sort, four bits per pass: counts per block, one scan, scatter with ranks by ballots. */
#include "program.h"

__global__ void count(const unsigned *keys, unsigned *counts, int shift) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[keys[blockIdx.x * 128 + threadIdx.x] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = s[threadIdx.x];
}

__global__ void scan(unsigned *counts, int n) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        unsigned x = counts[i];
        counts[i] = sum;
        sum += x;
    }
}

__global__ void scatter(const unsigned *keys, unsigned *out, const unsigned *starts, int shift) {
    __shared__ unsigned before[4][16];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    unsigned key = keys[blockIdx.x * 128 + t], digit = key >> shift & 15, rank = 0;
    for (unsigned d = 0; d < 16; d++) {
        unsigned same = __ballot_sync(~0U, digit == d);
        if (digit == d)
            rank = __popc(same & ((1u << lane) - 1));
        if (lane == 0)
            before[warp][d] = __popc(same);
    }
    __syncthreads();
    for (int w = 0; w < warp; w++)
        rank += before[w][digit];
    out[starts[digit * gridDim.x + blockIdx.x] + rank] = key;
}

int main() {
    const int n = 2048, blocks = n / 128;
    unsigned host[n];
    for (int i = 0; i < n; i++)
        host[i] = mix(i) >> 20;
    unsigned *a = to_device(host, n), *b = device_array<unsigned>(n),
             *counts = device_array<unsigned>(16 * blocks);
    for (int shift = 0; shift < 12; shift += 4) {
        count<<<blocks, 128>>>(a, counts, shift);
        scan<<<1, 1>>>(counts, 16 * blocks);
        scatter<<<blocks, 128>>>(a, b, counts, shift);
        CHECK_KERNEL();
        unsigned *t = a;
        a = b;
        b = t;
    }
    print_array("sorted", a, n);
}
