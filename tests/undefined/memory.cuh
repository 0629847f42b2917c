/* Accesses outside a program's memory, and misaligned ones. */
#include "case.h"

extern __shared__ __align__(16) char dynamic_shared[];

#define LOADS(name, type, base)                                                                              \
    KERNEL(name) {                                                                                           \
        *(volatile type *)((base) + b) = (type)5;                                                            \
        volatile type *at = (volatile type *)((base) + a);                                                   \
        type v = *at;                                                                                        \
        o[T] = v == v ? 1 : 2;                                                                               \
    }
#define STORES(name, type, base)                                                                             \
    KERNEL(name) {                                                                                           \
        volatile type *at = (volatile type *)((base) + a);                                                   \
        *at = (type)5;                                                                                       \
        o[T] = *(volatile type *)((base) + b) == 5 ? 1 : 2;                                                  \
    }

/* ---------------------------------------------------------------- shared memory */
LOADS(dynamic_load_4, unsigned, dynamic_shared)
STORES(dynamic_store_4, unsigned, dynamic_shared)
/* Data stored past the end can be read back. */
KERNEL(dynamic_keeps) {
    volatile unsigned *s = (volatile unsigned *)(dynamic_shared + a);
    *s = 1234;
    __syncthreads();
    o[T] = *s;
}
KERNEL(dynamic_vector) {
    dynamic_shared[T] = 1;
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"((unsigned)__cvta_generic_to_shared(dynamic_shared) + (unsigned)a)
                 : "memory");
    o[T] = v.x == 0xabcd;
}
KERNEL(dynamic_atomic) {
    atomicAdd((unsigned *)(dynamic_shared + a), 1u);
    o[T] = 1;
}
KERNEL(dynamic_generic) {
    volatile char *s = dynamic_shared;
    if (b == 77) /* hides from the compiler that the access is shared */
        s = p;
    o[T] = *(volatile unsigned *)(s + a) == 0xabcd;
}
KERNEL(static_load) {
    __shared__ unsigned s[100];
    s[T] = 4;
    __syncthreads();
    o[T] = ((volatile unsigned *)s)[a] == 0xabcd;
}
KERNEL(static_store) {
    __shared__ unsigned s[100];
    s[T] = 4;
    __syncthreads();
    ((volatile unsigned *)s)[a] = 3;
    o[T] = 1;
}
/* A kernel without shared memory. */
KERNEL(shared_none) {
    unsigned v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)a) : "memory");
    o[T] = v == 0xabcd;
}
KERNEL(shared_none_store) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"((unsigned)a), "r"(7) : "memory");
    o[T] = 1;
}
/* The lower half of a generic address. */
KERNEL(shared_low_half) {
    __shared__ unsigned s[32];
    s[T] = T;
    __syncthreads();
    unsigned v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)(size_t)(s + T)) : "memory");
    o[T] = v;
}
KERNEL(shared_address_of_first) {
    extern __shared__ __align__(16) char dynamic_shared[];
    o[T] = (unsigned)__cvta_generic_to_shared(dynamic_shared) % 1024;
}
KERNEL(shared_by_global) {
    __shared__ unsigned s[32];
    s[T] = T;
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(s) : "memory");
    o[T] = v;
}
KERNEL(global_by_local) {
    unsigned v;
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    o[T] = v;
}
KERNEL(shared_unaligned) {
    __shared__ __align__(16) char s[64];
    s[T] = 1;
    o[T] = *(volatile unsigned *)(s + a) == 0xabcd;
}
KERNEL(shared_unaligned_8) {
    __shared__ __align__(16) char s[64];
    s[T] = 1;
    o[T] = *(volatile unsigned long long *)(s + a) == 0xabcd;
}
KERNEL(shared_unaligned_atomic) {
    __shared__ __align__(16) char s[64];
    s[T] = 1;
    atomicAdd((unsigned *)(s + a), 1u);
    o[T] = 1;
}
KERNEL(shared_unaligned_half) {
    __shared__ __align__(16) char s[64];
    s[T] = 1;
    o[T] = *(volatile unsigned short *)(s + a) == 0xabcd;
}

/* ---------------------------------------------------------------- local memory */
static __device__ __noinline__ unsigned touch(volatile unsigned *at) {
    return *at;
}
KERNEL(local_load) {
    unsigned s[16];
    for (int i = 0; i < 16; i++)
        s[i] = T + i * (unsigned)b;
    o[T] = touch(s + a) == 0xabcd;
}
KERNEL(local_store) {
    volatile unsigned s[16];
    for (int i = 0; i < 16; i++)
        s[i] = T + i * (unsigned)b;
    s[a] = 9;
    o[T] = s[b % 16] == 0xabcd;
}
KERNEL(local_atomic) {
    unsigned s = T;
    unsigned *at = &s;
    if (b == 77)
        at = o;
    atomicAdd(at, 1u);
    o[T] = s;
}
static __device__ __noinline__ long deep(long n, volatile unsigned *o) {
    volatile long here[16];
    here[n & 15] = n;
    o[250] = 1;
    return n <= 0 ? here[0] : deep(n - 1, o) + here[n & 15];
}
KERNEL(recursion) {
    o[T] = (unsigned)deep(a, o);
}

/* ---------------------------------------------------------------- global memory */
KERNEL(global_load_1) {
    o[T] = *(volatile unsigned char *)(p + a) == 0xab;
}
KERNEL(global_load_4) {
    o[T] = *(volatile unsigned *)(p + a) == 0xabcd;
}
KERNEL(global_load_8) {
    o[T] = *(volatile unsigned long long *)(p + a) == 0xabcd;
}
KERNEL(global_store_4) {
    *(volatile unsigned *)(p + a) = 5;
    o[T] = *(volatile unsigned *)(p + a);
}
KERNEL(global_store_2) {
    *(volatile unsigned short *)(p + a) = 5;
    o[T] = 1;
}
KERNEL(global_vector) {
    uint4 v = *(uint4 *)(p + a);
    o[T] = v.x + v.y + v.z + v.w == 0xabcd;
}
KERNEL(global_atomic) {
    atomicAdd((unsigned *)(p + a), 1u);
    o[T] = 1;
}
KERNEL(global_atomic_8) {
    atomicAdd((unsigned long long *)(p + a), 1ull);
    o[T] = 1;
}
KERNEL(global_atomic_2) {
    o[T] = atomicCAS((unsigned short *)(p + a), (unsigned short)1, (unsigned short)1) == 0xabcd;
}
KERNEL(global_nc) {
    o[T] = __ldg((const unsigned *)(p + a)) == 0xabcd;
}
KERNEL(address_load) {
    o[T] = *(volatile unsigned *)a;
}
KERNEL(address_store) {
    *(volatile unsigned *)a = 1;
    o[T] = 1;
}
KERNEL(address_unused_load) { /* its result is unused */
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a));
    o[T] = 1;
}
KERNEL(prefetch_wild) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(a));
    o[T] = 1;
}
KERNEL(async_copy_unaligned) {
    __shared__ __align__(16) char s[64];
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s) + (unsigned)b),
        "l"(__cvta_generic_to_global(p + a))
        : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    o[T] = 1;
}
KERNEL(async_copy_no_wait) {
    __shared__ __align__(16) char s[64];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s)),
                 "l"(__cvta_generic_to_global(p + a))
                 : "memory");
    o[T] = 1;
}
KERNEL(async_copy_past_end) {
    extern __shared__ __align__(16) char dynamic_shared[];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(dynamic_shared) + (unsigned)b),
                 "l"(__cvta_generic_to_global(p + a))
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    o[T] = 1;
}

/* ---------------------------------------------------------------- constants and parameters */
static __constant__ unsigned constants[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static __device__ unsigned variables[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
KERNEL(constant_load) {
    o[T] = constants[a + T % 2] == 0xabcd;
}
KERNEL(constant_load_8) {
    unsigned long long v;
    asm volatile("{.reg .u64 at; cvta.to.const.u64 at, %1; ld.const.u64 %0, [at];}"
                 : "=l"(v)
                 : "l"((const char *)constants + a));
    o[T] = v == 0xabcd;
}
extern "C" __global__ void parameter_load(unsigned *o, char *p, long a,
                                          long b) { /* a bytes after the first one */
    unsigned v;
    asm volatile(
        "{.reg .u64 at; mov.u64 at, parameter_load_param_0; add.u64 at, at, %1; ld.param.u32 %0, [at];}"
        : "=r"(v)
        : "l"(a));
    o[T] = v == 0xabcd;
}
