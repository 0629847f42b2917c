/* Atomics of every operation, type and space, one warp each: with the old value used, with it unused, and as
 * PTX's red.  atomics.csv has the hardware's counts. */
#include <cstdint>
#include <cstdio>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

static void *cells; /* 32 of 16 bytes, zeros */
static void *olds;

/* Each on the lane's own element, or all on the first one, in an array that the compiler knows to be global
 * or shared. */
#define LAUNCH(name)                                                                                         \
    name<<<1, 32>>>((decltype(name##_type()) *)cells, (decltype(name##_type()) *)olds);                      \
    report(#name)

static void report(const char *name) {
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        printf("%s: %s\n", name, cudaGetErrorName(error));
}

#define KERNELS(name, type, call)                                                                            \
    static type name##_global_unused_type();                                                                 \
    static type name##_global_used_type();                                                                   \
    static type name##_global_same_type();                                                                   \
    static type name##_global_same_used_type();                                                              \
    static type name##_shared_unused_type();                                                                 \
    static type name##_shared_used_type();                                                                   \
    __global__ void name##_global_unused(type *cells, type *) {                                              \
        type *at = cells + threadIdx.x;                                                                      \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        call;                                                                                                \
    }                                                                                                        \
    __global__ void name##_global_used(type *cells, type *olds) {                                            \
        type *at = cells + threadIdx.x;                                                                      \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        olds[threadIdx.x] = call;                                                                            \
    }                                                                                                        \
    __global__ void name##_global_same(type *at, type *) {                                                   \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        call;                                                                                                \
    }                                                                                                        \
    __global__ void name##_global_same_used(type *at, type *olds) {                                          \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        olds[threadIdx.x] = call;                                                                            \
    }                                                                                                        \
    __global__ void name##_shared_unused(type *, type *olds) {                                               \
        __shared__ type cells[32];                                                                           \
        type *at = cells + threadIdx.x;                                                                      \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        *at = type();                                                                                        \
        __syncthreads();                                                                                     \
        call;                                                                                                \
        __syncthreads();                                                                                     \
        olds[threadIdx.x] = *at;                                                                             \
    }                                                                                                        \
    __global__ void name##_shared_used(type *, type *olds) {                                                 \
        __shared__ type cells[32];                                                                           \
        type *at = cells + threadIdx.x;                                                                      \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        *at = type();                                                                                        \
        __syncthreads();                                                                                     \
        olds[threadIdx.x] = call;                                                                            \
    }

/* type: type of the cells; operation and word: PTX names, on registers with the constraint. */
#define REDUCTION(name, type, operation, constraint, value)                                                  \
    static type name##_type();                                                                               \
    __global__ void name(type *cells, type *) {                                                              \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        asm volatile("red.relaxed.gpu.global." operation                                                     \
                     " [%0], %1;" ::"l"(__cvta_generic_to_global(cells + threadIdx.x)),                      \
                     constraint(value)                                                                       \
                     : "memory");                                                                            \
    }
/* The same with an address of unknown space. */
#define GENERIC(name, type, operation, constraint, value)                                                    \
    static type name##_type();                                                                               \
    __global__ void name(type *cells, type *) {                                                              \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        asm volatile(operation " [%0], %1;" ::"l"(cells + threadIdx.x), constraint(value) : "memory");       \
    }
/* atom with an unused result, as "_" if PTX allows it. */
#define IGNORED(name, type, operation, constraint, value)                                                    \
    static type name##_type();                                                                               \
    __global__ void name(type *cells, type *) {                                                              \
        int i = threadIdx.x;                                                                                 \
        (void)i;                                                                                             \
        asm volatile("atom.relaxed.gpu.global." operation                                                    \
                     " _, [%0], %1;" ::"l"(__cvta_generic_to_global(cells + threadIdx.x)),                   \
                     constraint(value)                                                                       \
                     : "memory");                                                                            \
    }

typedef unsigned long long u64;
typedef long long s64;
typedef unsigned short u16;

#define ALL(X, Y, Z, W)                                                                                      \
    X(add_u32, unsigned, atomicAdd(at, (unsigned)i))                                                         \
    X(add_s32, int, atomicAdd(at, i))                                                                        \
    X(add_one, unsigned, atomicAdd(at, 1u))                                                                  \
    X(sub_u32, unsigned, atomicSub(at, (unsigned)i))                                                         \
    X(add_u64, u64, atomicAdd(at, (u64)i))                                                                   \
    X(add_f32, float, atomicAdd(at, (float)i))                                                               \
    X(add_f64, double, atomicAdd(at, (double)i))                                                             \
    X(add_f16, __half, atomicAdd(at, __int2half_rn(i)))                                                      \
    X(add_f16x2, __half2, atomicAdd(at, __half2half2(__int2half_rn(i))))                                     \
    X(add_bf16, __nv_bfloat16, atomicAdd(at, __int2bfloat16_rn(i)))                                          \
    X(add_bf16x2, __nv_bfloat162, atomicAdd(at, __bfloat162bfloat162(__int2bfloat16_rn(i))))                 \
    X(min_u32, unsigned, atomicMin(at, (unsigned)i))                                                         \
    X(max_u32, unsigned, atomicMax(at, (unsigned)i))                                                         \
    X(min_s32, int, atomicMin(at, i))                                                                        \
    X(max_s32, int, atomicMax(at, i))                                                                        \
    X(min_u64, u64, atomicMin(at, (u64)i))                                                                   \
    X(max_s64, s64, atomicMax(at, (s64)i))                                                                   \
    X(and_b32, unsigned, atomicAnd(at, (unsigned)i))                                                         \
    X(or_b32, unsigned, atomicOr(at, (unsigned)i))                                                           \
    X(xor_b32, unsigned, atomicXor(at, (unsigned)i))                                                         \
    X(and_b64, u64, atomicAnd(at, (u64)i))                                                                   \
    X(or_b64, u64, atomicOr(at, (u64)i))                                                                     \
    X(xor_b64, u64, atomicXor(at, (u64)i))                                                                   \
    X(inc_u32, unsigned, atomicInc(at, (unsigned)i))                                                         \
    X(dec_u32, unsigned, atomicDec(at, (unsigned)i))                                                         \
    X(exch_b32, unsigned, atomicExch(at, (unsigned)i))                                                       \
    X(exch_f32, float, atomicExch(at, (float)i))                                                             \
    X(exch_b64, u64, atomicExch(at, (u64)i))                                                                 \
    X(cas_b16, u16, atomicCAS(at, (u16)0, (u16)i))                                                           \
    X(cas_b32, unsigned, atomicCAS(at, 0u, (unsigned)i))                                                     \
    X(cas_b64, u64, atomicCAS(at, (u64)0, (u64)i))                                                           \
    Y(red_add_f16, __half, "add.noftz.f16", "h", __half_as_ushort(__int2half_rn(i)))                         \
    Y(red_add_bf16, __nv_bfloat16, "add.noftz.bf16", "h", __bfloat16_as_ushort(__int2bfloat16_rn(i)))        \
    Y(red_add_f16x2, unsigned, "add.noftz.f16x2", "r", 0x3c003c00)                                           \
    Y(red_add_bf16x2, unsigned, "add.noftz.bf16x2", "r", 0x3f803f80)                                         \
    Y(red_add_u32, unsigned, "add.u32", "r", i)                                                              \
    Y(red_add_u64, u64, "add.u64", "l", (u64)i)                                                              \
    Y(red_add_f32, float, "add.f32", "f", (float)i)                                                          \
    Y(red_add_f64, double, "add.f64", "d", (double)i)                                                        \
    Y(red_inc_u32, unsigned, "inc.u32", "r", i)                                                              \
    Y(red_and_b64, u64, "and.b64", "l", (u64)i)                                                              \
    Z(ignored_add_f16, __half, "add.noftz.f16", "h", __half_as_ushort(__int2half_rn(i)))                     \
    Z(ignored_add_u32, unsigned, "add.u32", "r", i)                                                          \
    Z(ignored_exch_b32, unsigned, "exch.b32", "r", i)                                                        \
    W(generic_red_u32, unsigned, "red.relaxed.gpu.add.u32", "r", i)                                          \
    W(generic_red_u64, u64, "red.relaxed.gpu.add.u64", "l", (u64)i)                                          \
    W(generic_red_f32, float, "red.relaxed.gpu.add.f32", "f", (float)i)                                      \
    W(generic_red_f64, double, "red.relaxed.gpu.add.f64", "d", (double)i)                                    \
    W(generic_red_f16x2, unsigned, "red.relaxed.gpu.add.noftz.f16x2", "r", 0x3c003c00)                       \
    W(generic_red_min, unsigned, "red.relaxed.gpu.min.u32", "r", i)                                          \
    W(generic_red_or, unsigned, "red.relaxed.gpu.or.b32", "r", i)                                            \
    W(generic_red_inc, unsigned, "red.relaxed.gpu.inc.u32", "r", i)                                          \
    W(generic_atom_u32, unsigned, "atom.relaxed.gpu.add.u32 _,", "r", i)                                     \
    W(generic_atom_f32, float, "atom.relaxed.gpu.add.f32 _,", "f", (float)i)                                 \
    W(generic_atom_exch, unsigned, "atom.relaxed.gpu.exch.b32 _,", "r", i)

ALL(KERNELS, REDUCTION, IGNORED, GENERIC)

/* Vectors have no such functions for shared memory. */
__global__ void add_float2_unused(float2 *cells, float2 *) {
    atomicAdd(cells + threadIdx.x, make_float2(1, 2));
}
__global__ void add_float2_used(float2 *cells, float2 *olds) {
    olds[threadIdx.x] = atomicAdd(cells + threadIdx.x, make_float2(1, 2));
}
__global__ void add_float4_unused(float4 *cells, float4 *) {
    atomicAdd(cells + threadIdx.x, make_float4(1, 2, 3, 4));
}
__global__ void add_float4_used(float4 *cells, float4 *olds) {
    olds[threadIdx.x] = atomicAdd(cells + threadIdx.x, make_float4(1, 2, 3, 4));
}
__global__ void red_add_v2_f32(float2 *cells, float2 *) {
    asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %1};" ::"l"(cells + threadIdx.x), "f"(1.0f)
                 : "memory");
}
__global__ void red_add_v4_f16(uint2 *cells, uint2 *) {
    asm volatile("red.relaxed.gpu.global.add.noftz.v4.f16 [%0], {%1, %1, %1, %1};" ::"l"(cells + threadIdx.x),
                 "h"((unsigned short)0x3c00)
                 : "memory");
}
__global__ void red_add_v4_f16x2(uint4 *cells, uint4 *) {
    asm volatile(
        "red.relaxed.gpu.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(cells + threadIdx.x),
        "r"(0x3c003c00)
        : "memory");
}
/* Through a pointer of either space. */
__global__ void add_generic(unsigned *cells, unsigned *olds) {
    __shared__ unsigned own[32];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned *at = olds == nullptr ? own : cells;
    atomicAdd(at + threadIdx.x, threadIdx.x);
}
__global__ void add_f16_generic(__half *cells, __half *olds) {
    __shared__ __half own[32];
    own[threadIdx.x] = 0;
    __syncthreads();
    __half *at = olds == nullptr ? own : cells;
    atomicAdd(at + threadIdx.x, __int2half_rn(threadIdx.x));
}

#define RUN_KERNELS(name, type, call)                                                                        \
    LAUNCH(name##_global_unused);                                                                            \
    LAUNCH(name##_global_used);                                                                              \
    LAUNCH(name##_global_same);                                                                              \
    LAUNCH(name##_global_same_used);                                                                         \
    LAUNCH(name##_shared_unused);                                                                            \
    LAUNCH(name##_shared_used);
#define RUN_ONE(name, ...) LAUNCH(name);
#define RUN(name, type)                                                                                      \
    name<<<1, 32>>>((type *)cells, (type *)olds);                                                            \
    report(#name)

int main() {
    cudaMalloc(&cells, 512);
    cudaMalloc(&olds, 512);
    cudaMemset(cells, 0, 512);
    ALL(RUN_KERNELS, RUN_ONE, RUN_ONE, RUN_ONE)
    RUN(add_float2_unused, float2);
    RUN(add_float2_used, float2);
    RUN(add_float4_unused, float4);
    RUN(add_float4_used, float4);
    RUN(red_add_v2_f32, float2);
    RUN(red_add_v4_f16, uint2);
    RUN(red_add_v4_f16x2, uint4);
    RUN(add_generic, unsigned);
    RUN(add_f16_generic, __half);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
