/* Barriers of a block that its threads reach in ways that CUDA forbids. */
#include "case.h"

KERNEL(barrier_half) {
    if (T < 16)
        __syncthreads();
    o[T] = T;
}
KERNEL(barrier_lanes) {
    if (T % 2)
        __syncthreads();
    o[T] = T;
    __syncthreads();
    o[T + 64] = o[(T + 1) % 64];
}
KERNEL(barrier_two_places) {
    __shared__ unsigned s[128];
    s[T] = 7;
    if (T % 2) {
        s[T] = T;
        __syncthreads();
        o[T] = s[T ^ 1];
    } else {
        s[T] = 1000 + T;
        __syncthreads();
        o[T] = s[T ^ 1];
    }
}
KERNEL(barrier_trips) {
    unsigned v = 0;
    int trips = T < a ? 3 : 5;
    for (int i = 0; i < trips; i++) {
        __syncthreads();
        v++;
    }
    o[T] = v;
}
/* The exited lanes take no part. */
KERNEL(barrier_exited) {
    __shared__ unsigned s[128];
    if (T >= a && T < b)
        return;
    s[T] = T;
    __syncthreads();
    o[T] = s[0] + s[1];
    __syncthreads();
}
KERNEL(barrier_count) { /* the first a threads come to a barrier for b threads */
    if (T < a)
        asm volatile("barrier.sync 1, %0;" ::"r"((int)b) : "memory");
    o[T] = T;
}
KERNEL(barrier_count_aligned) {
    if (T < a)
        asm volatile("bar.sync 1, %0;" ::"r"((int)b) : "memory");
    o[T] = T;
}
KERNEL(barrier_counts_differ) {
    if (T < 32)
        asm volatile("barrier.sync 1, %0;" ::"r"((int)a) : "memory");
    else
        asm volatile("barrier.sync 1, %0;" ::"r"((int)b) : "memory");
    o[T] = T;
}
KERNEL(barrier_number) {
    asm volatile("barrier.sync %0;" ::"r"((int)a) : "memory");
    o[T] = T;
}
KERNEL(barrier_arrives) { /* and nobody waits */
    for (int i = 0; i < a; i++)
        asm volatile("barrier.arrive 1, %0;" ::"r"((int)b) : "memory");
    o[T] = T;
}
KERNEL(barrier_arrive_then_all) {
    if (T < 32)
        asm volatile("barrier.arrive 0, %0;" ::"r"((int)b) : "memory");
    __syncthreads();
    o[T] = T;
}
KERNEL(barrier_mixed_all_and_count) {
    if (T < 32)
        asm volatile("barrier.sync 2;" ::: "memory");
    else
        asm volatile("barrier.sync 2, %0;" ::"r"((int)b) : "memory");
    o[T] = T;
}
KERNEL(barrier_arrive_alone) {
    asm volatile("barrier.arrive 1, %0;" ::"r"((int)b) : "memory");
    if (T >= 32)
        asm volatile("barrier.sync 1, %0;" ::"r"((int)b) : "memory");
    o[T] = T;
}
KERNEL(barrier_reduction_half) {
    unsigned v = 77;
    if (T < 16)
        v = __syncthreads_count(T % 3 == 0);
    o[T] = v;
}
KERNEL(barrier_reduction_two) {
    unsigned v;
    if (T % 2)
        v = __syncthreads_count(T % 3 == 0);
    else
        v = 100 + __syncthreads_count(T % 3 == 0);
    o[T] = v;
}
KERNEL(barrier_plain_and_reduction) {
    unsigned v = 1;
    if (T < 32)
        v = __syncthreads_count(1);
    else
        __syncthreads();
    o[T] = v;
}

/* ---------------------------------------------------------------- mbarriers and clusters */
static __device__ unsigned shared_address(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}
KERNEL(mbarrier_misaligned) {
    __shared__ __align__(16) char s[64];
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(s) + (int)a) : "memory");
    o[T] = 1;
}
KERNEL(mbarrier_count) {
    __shared__ unsigned long long s;
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&s)), "r"((int)a) : "memory");
    o[T] = 1;
}
KERNEL(mbarrier_arrivals) { /* more than a phase allows */
    __shared__ unsigned long long s;
    unsigned long long state;
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(shared_address(&s)) : "memory");
    for (int i = 0; i < a; i++)
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                     : "=l"(state)
                     : "r"(shared_address(&s))
                     : "memory");
    o[T] = 1;
}
KERNEL(mbarrier_arrive_many) { /* at once */
    __shared__ unsigned long long s;
    unsigned long long state;
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(shared_address(&s)) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(shared_address(&s)), "r"((int)a)
                 : "memory");
    o[T] = 1;
}
KERNEL(mbarrier_uninitialized) {
    __shared__ unsigned long long s;
    unsigned long long state;
    s = a;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&s)) : "memory");
    o[T] = 1;
}
KERNEL(bulk_copy) { /* of b bytes, from p + a */
    __shared__ __align__(128) char s[256];
    __shared__ unsigned long long bar;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(s)),
        "l"(__cvta_generic_to_global(p + a)), "r"((int)b), "r"(shared_address(&bar))
        : "memory");
    o[T] = 1;
    for (int i = 0; i < 2000; i++)
        __nanosleep(1000);
}
PAIR_KERNEL(cluster_rank) { /* a block that does not exist */
    __shared__ unsigned s[4];
    s[0] = 5;
    unsigned v, at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(s)), "r"((int)a));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    o[T] = v;
}
PAIR_KERNEL(cluster_arrives_twice) {
    for (int i = 0; i < a; i++)
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    for (int i = 0; i < b; i++)
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    o[T] = 1;
}
