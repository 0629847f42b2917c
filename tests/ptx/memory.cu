/* Loads and stores of every width and space, with their possible modifiers. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float4 vectors[3] = {{1, 2, 3, 4}, {-1, -2, -3, -4}};
__device__ volatile int flag;
__device__ unsigned long long huge = ~0ull;
__constant__ double wide = -2.0;
__constant__ float narrow = 1.5f;

extern "C" __global__ void widths(float4 *v4, double2 *v2, const short *s, const signed char *c, __half *h,
                                  __nv_bfloat16 *b, float *out) {
    extern __shared__ float dynamic[];
    int stack[16], i = threadIdx.x + blockIdx.x * blockDim.x;
    for (int k = 0; k < 16; k++)
        stack[k] = s[i + k];
    dynamic[threadIdx.x] = (float)stack[c[i] & 15];
    __syncthreads();
    v4[i] = __ldg(&v4[i + 1]);
    v2[i] = __ldcg(&v2[i + 1]);
    h[i] = __hadd(h[i], __float2half(dynamic[threadIdx.x ^ 1]));
    b[i] = __float2bfloat16(__expf(out[i]));
    out[i] = fmaf(narrow, (float)wide, vectors[i & 1].y) + __shfl_xor_sync(~0u, out[i], 3) + (float)huge;
    atomicAdd(&out[0], 1.0f);
    atomicAdd(&huge, 1ull);
    if (__any_sync(~0u, flag))
        flag = __popc(__ballot_sync(~0u, i & 1));
}

/* Modifiers with colons, and sm_80's asynchronous copies. */
extern "C" __global__ void hints(float *out, const float *in) {
    __shared__ float tile[32];
    float x, y;
    asm volatile("ld.global.L1::no_allocate.L2::128B.f32 %0, [%1+-4];" : "=f"(x) : "l"(in));
    asm volatile("ld.global.L1::evict_last.f32 %0, [%1 + 2*4];" : "=f"(y) : "l"(in));
#if __CUDA_ARCH__ >= 800
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + threadIdx.x));
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;");
#else
    tile[threadIdx.x] = in[threadIdx.x];
#endif
    __syncwarp();
    out[threadIdx.x] = x + y + tile[threadIdx.x ^ 1];
}
