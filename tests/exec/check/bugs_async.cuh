// cp.async: copies that threads start and wait for.

#define COPY(to, from, bytes)                                                                                \
    asm volatile(                                                                                            \
        "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),        \
        "l"(from), "r"(bytes)                                                                                \
        : "memory")
#define WAIT() asm volatile("cp.async.wait_all;" ::: "memory")

CASE async_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x, from = i + 1;
    COPY(&s[i], b + from, bug || from < n ? 4 : 0); // at
    WAIT();
    a[i] = s[i];
}
PAIR(async_past_end)

CASE async_shared_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    COPY(&s[bug && i == 63 ? 64 : i], b + i, 4); // at
    WAIT();
    a[i] = i < 63 ? s[i] : 0;
}
PAIR(async_shared_past_end)

CASE async_without_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    COPY(&s[i], b + i, 4); // other
    WAIT();
    if (!bug)
        __syncthreads();
    a[i] = s[63 - i]; // at
}
PAIR(async_without_barrier)

CASE async_of_unwritten(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    COPY(&s[i], b + i, bug ? 4 : 0); // at
    WAIT();
    a[i] = s[i];
}
PAIR(async_of_unwritten)

// A bulk copy into shared memory, waited for at an mbarrier.
static __device__ __forceinline__ void bulk_start(unsigned long long *barrier, unsigned bytes) {
    unsigned at = (unsigned)__cvta_generic_to_shared(barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;\n\t"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
                 "r"(bytes)
                 : "memory");
}
#define BULK(to, from, bytes, barrier)                                                                       \
    asm volatile(                                                                                            \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(     \
            (unsigned)__cvta_generic_to_shared(to)),                                                         \
        "l"(from), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier))                              \
        : "memory")
static __device__ __forceinline__ void bulk_wait(unsigned long long *barrier) {
    unsigned done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"((unsigned)__cvta_generic_to_shared(barrier))
                     : "memory");
}

CASE bulk_past_end(int *a, int *b, int n) {
    __shared__ __align__(16) int s[128];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned bytes = 4 * n + (bug ? 64 : 0);
    if (threadIdx.x == 0) {
        bulk_start(&barrier, bytes);
        BULK(s, b, bytes, &barrier); // at
    }
    __syncthreads();
    bulk_wait(&barrier);
    a[threadIdx.x] = s[threadIdx.x];
}
PAIR(bulk_past_end)

CASE bulk_of_unwritten(int *a, int *b, int n) {
    __shared__ __align__(16) int s[64];
    __shared__ __align__(8) unsigned long long barrier;
    b[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_start(&barrier, 256);
        asm volatile("fence.proxy.async.global;" ::: "memory");
        BULK(s, b + (bug ? n - 64 : 0), 256, &barrier); // at
    }
    __syncthreads();
    bulk_wait(&barrier);
    a[threadIdx.x] = s[threadIdx.x];
}
PAIR(bulk_of_unwritten)
