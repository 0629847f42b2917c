/* Pi by random points: each thread draws its own, and hits are counted exactly. */
#include "program.h"

__global__ void throw_darts(unsigned long long *hits, int each) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = mix(i + 1), mine = 0;
    for (int k = 0; k < each; k++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / (1 << 24));
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / (1 << 24));
        mine += __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 1;
    }
    unsigned sum = __reduce_add_sync(~0U, mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, (unsigned long long)sum);
}

int main() {
    const int threads = 1024, each = 50;
    unsigned long long *hits = managed_array<unsigned long long>(1);
    throw_darts<<<threads / 128, 128>>>(hits, each);
    CHECK_KERNEL();
    printf("%llu of %d, pi is about %.3f\n", *hits, threads * each, 4.0 * *hits / (threads * each));
}
