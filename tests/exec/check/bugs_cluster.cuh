// Clusters of two blocks that reach each other's shared memory.

#define CLUSTER_PAIR(name)                                                                                   \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) bug_##name(int *a, int *b, int n) {                 \
        name<true>(a, b, n);                                                                                 \
    }                                                                                                        \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) ok_##name(int *a, int *b, int n) {                  \
        name<false>(a, b, n);                                                                                \
    }

static __device__ __forceinline__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

static __device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The same place in the other block.
static __device__ __forceinline__ int *across(int *at) {
    unsigned long long far;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(far) : "l"(at), "r"(cluster_rank() ^ 1));
    return (int *)far;
}

#define LOAD_ACROSS(value, at)  asm volatile("ld.s32 %0, [%1];" : "=r"(value) : "l"(across(at)) : "memory")
#define STORE_ACROSS(at, value) asm volatile("st.s32 [%0], %1;" ::"l"(across(at)), "r"(value) : "memory")

CASE across_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = b[i];
    cluster_barrier();
    int value;
    LOAD_ACROSS(value, &s[bug || i < 63 ? i + 1 : i]); // at
    a[thread()] = value;
    cluster_barrier();
}
CLUSTER_PAIR(across_past_end)

CASE across_without_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = 0;
    cluster_barrier();
    s[i] = b[i] + 1; // other
    if (bug)
        __syncthreads();
    else
        cluster_barrier();
    int value;
    LOAD_ACROSS(value, &s[63 - i]); // at
    a[thread()] = value;
    cluster_barrier();
}
CLUSTER_PAIR(across_without_barrier)

CASE overwritten_while_read_across(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = b[i];
    cluster_barrier();
    int value;
    LOAD_ACROSS(value, &s[63 - i]); // at
    if (!bug)
        cluster_barrier();
    s[i] = value + 1000; // other
    cluster_barrier();
    a[thread()] = s[i];
}
CLUSTER_PAIR(overwritten_while_read_across)

CASE stores_across_collide(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = 0;
    cluster_barrier();
    STORE_ACROSS(&s[bug ? i / 2 : i], 1 + i); // at other
    cluster_barrier();
    a[thread()] = s[i];
}
CLUSTER_PAIR(stores_across_collide)

CASE block_writes_where_other_stores(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = 0;
    cluster_barrier();
    STORE_ACROSS(&s[i], b[i] + 1); // other
    if (!bug)
        cluster_barrier();
    s[i] = 1000 + i; // at
    cluster_barrier();
    a[thread()] = s[i];
}
CLUSTER_PAIR(block_writes_where_other_stores)

CASE unwritten_across(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (!bug || i < 63)
        s[i] = b[i];
    cluster_barrier();
    int value;
    LOAD_ACROSS(value, &s[i]); // at
    a[thread()] = value;
    cluster_barrier();
}
CLUSTER_PAIR(unwritten_across)

CASE other_block_not_begun(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (!bug)
        cluster_barrier();
    STORE_ACROSS(&s[i], b[i]); // at
    cluster_barrier();
    a[thread()] = s[i];
}
CLUSTER_PAIR(other_block_not_begun)

CASE other_block_has_ended(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = b[i];
    cluster_barrier();
    int value = 0;
    if (cluster_rank() == 1)
        LOAD_ACROSS(value, &s[i]); // at
    a[thread()] = value;
    if (!bug)
        cluster_barrier();
}
CLUSTER_PAIR(other_block_has_ended)
