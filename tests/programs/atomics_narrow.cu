/* Atomics on halves, pairs of halves, 16-bit words and vectors of floats. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "program.h"

struct cells {
    __half2 pair;
    __nv_bfloat162 bpair;
    __half half, unused;
    unsigned short word, other;
    float2 two;
    float4 four;
};

__global__ void run(cells *c) {
    int i = threadIdx.x;
    atomicAdd(&c->pair, __floats2half2_rn(1, 0.5f));
    atomicAdd(&c->bpair, __floats2bfloat162_rn(1, 2));
    atomicAdd(&c->half, __half(0.25f));
    atomicAdd(&c->two, make_float2(1, i));
    atomicAdd(&c->four, make_float4(1, 2, 3, i));
    /* 16 bits by compare-and-swap. */
    unsigned short old = c->word, assumed;
    do {
        assumed = old;
        old = atomicCAS(&c->word, assumed, (unsigned short)(assumed + 3));
    } while (old != assumed);
}

__global__ void in_shared(float *out) {
    __shared__ __half2 pair;
    __shared__ __half half;
    if (threadIdx.x == 0) {
        pair = __half2(0, 0);
        half = 0;
    }
    __syncthreads();
    atomicAdd(&pair, __half2(1, 2));
    atomicAdd(&half, __half(0.5f));
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = __low2float(pair);
        out[1] = __high2float(pair);
        out[2] = half;
    }
}

int main() {
    cells *c = device_array<cells>(1);
    run<<<1, 96>>>(c);
    CHECK_KERNEL();
    cells *r = to_host(c, 1);
    printf("%g %g, %g %g, %g, %d %d\n", __low2float(r->pair), __high2float(r->pair), __low2float(r->bpair),
           __high2float(r->bpair), __half2float(r->half), r->word, r->other);
    printf("%g %g, %g %g %g %g\n", r->two.x, r->two.y, r->four.x, r->four.y, r->four.z, r->four.w);
    float *out = device_array<float>(3);
    in_shared<<<1, 64>>>(out);
    print_array("shared", out, 3);
    free(r);
}
