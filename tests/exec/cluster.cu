// Blocks of a cluster: their registers, their barrier, each other's shared memory.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __device__ unsigned shared_address(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

static __device__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}

static __device__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

static __device__ void cluster_sync() {
    cluster_arrive();
    cluster_wait();
}

static __device__ unsigned map_address(unsigned address, unsigned rank) {
    unsigned mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

static __device__ int load_far(unsigned address) {
    int value;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static __device__ void store_far(unsigned address, int value) {
    asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

static __device__ unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

extern "C" {

// 16 numbers per block, by its index in the grid.
__global__ void registers(unsigned *out) {
    unsigned r[16];
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(r[0]));
    asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(r[1]));
    asm volatile("mov.u32 %0, %%clusterid.z;" : "=r"(r[2]));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(r[3]));
    asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(r[4]));
    asm volatile("mov.u32 %0, %%nclusterid.z;" : "=r"(r[5]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(r[6]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(r[7]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(r[8]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(r[9]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(r[10]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(r[11]));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r[12]));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r[13]));
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r[14]));
    r[15] = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    for (int i = 0; i < 16; i++)
        out[16 * r[15] + i] = r[i];
}

// Each block reads what its neighbour's threads wrote, twice, with 32-bit addresses.
__global__ void __cluster_dims__(4, 1, 1) neighbours(int *out) {
    __shared__ int s[64];
    unsigned rank = cluster_rank(), next = (rank + 1) % 4;
    int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        s[t] = 1000 * blockIdx.x + 10 * t + round;
        cluster_sync();
        out[(2 * blockIdx.x + round) * 64 + t] = load_far(map_address(shared_address(&s[63 - t]), next));
        cluster_sync();
    }
}

// A ring: each block's threads store to the next block, from different warps at different times.
__global__ void __cluster_dims__(8, 1, 1) stores(int *out) {
    __shared__ int s[96], sum;
    unsigned next = (cluster_rank() + 1) % 8;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;
    cluster_sync();
    store_far(map_address(shared_address(&s[t]), next), (int)blockIdx.x * 100 + t);
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(map_address(shared_address(&sum), next)),
                 "r"(t)
                 : "memory");
    cluster_sync();
    out[97 * blockIdx.x + t] = s[t];
    if (t == 0)
        out[97 * blockIdx.x + 96] = sum;
}

// Work between arriving and waiting; blocks that end early count as arrived.
__global__ void __cluster_dims__(2, 1, 1) early(int *out) {
    __shared__ int s[64];
    unsigned rank = cluster_rank();
    int t = threadIdx.x;
    s[t] = t + 100 * (int)rank;
    cluster_arrive();
    int own = 3 * t;
    cluster_wait();
    int other = load_far(map_address(shared_address(&s[t]), rank ^ 1));
    cluster_arrive();
    out[64 * blockIdx.x + t] = own + other;
    cluster_wait();
    if (rank == 0)
        return;
    if (t < 32)
        return;
    cluster_sync();
    out[64 * blockIdx.x + t] += 1;
}

// Threads reach the barrier one by one, from different instructions.
__global__ void __cluster_dims__(2, 1, 1) ragged(int *out) {
    __shared__ int s[96];
    unsigned rank = cluster_rank();
    int t = threadIdx.x;
    for (int round = 0; round < 3; round++) {
        s[t] = 10 * t + round + 10000 * (int)rank;
        if ((t + round) % 3)
            asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        else
            asm volatile("barrier.cluster.arrive;" ::: "memory");
        if (t % 2)
            asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        else
            asm volatile("barrier.cluster.wait;" ::: "memory");
        out[(2 * round + blockIdx.x) * 96 + t] = load_far(map_address(shared_address(&s[95 - t]), rank ^ 1));
        cluster_sync();
    }
}

// Generic pointers, which are valid in every block: each block passes its own to the previous one.
__global__ void __cluster_dims__(2, 2, 1) pointers(int *out) {
    __shared__ int s[32];
    __shared__ int *theirs;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), to = (rank + 3) % 4;
    int t = threadIdx.x;
    s[t] = 100 * (int)rank + t;
    cluster.sync();
    if (t == 0)
        *cluster.map_shared_rank(&theirs, to) = s;
    cluster.sync();
    int *far = theirs, *mapped = cluster.map_shared_rank(s, (rank + 1) % 4),
        *self = cluster.map_shared_rank(s, rank);
    unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    bool same = far == mapped && self == s && cluster.query_shared_rank(far) == (rank + 1) % 4 &&
                cluster.query_shared_rank(s) == rank;
    out[32 * block + t] = same ? atomicAdd(&far[t], 1) + self[t] : -1;
    cluster.sync();
}

// The lanes of one warp access all blocks.
__global__ void __cluster_dims__(4, 1, 1) scattered(int *out) {
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    s[t] = 100 * (int)cluster.block_rank() + t;
    cluster.sync();
    int *far = cluster.map_shared_rank(s, t % 4);
    out[32 * blockIdx.x + t] = far[31 - t] + load_far(map_address(shared_address(&s[t]), t / 8));
    cluster.sync();
}

// isspacep, and addresses in a block's own memory that name its rank.
__global__ void __cluster_dims__(2, 1, 1) spaces(unsigned *out) {
    __shared__ unsigned s[4];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    s[0] = 5 + rank;
    cluster.sync();
    unsigned *far = cluster.map_shared_rank(s, rank ^ 1), *own = cluster.map_shared_rank(s, rank), bits = 0;
    for (unsigned *p : {far, own, out}) {
        unsigned cta, any;
        asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }"
                     : "=r"(cta)
                     : "l"(p));
        asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
                     : "=r"(any)
                     : "l"(p));
        bits = 4 * bits + 2 * cta + any;
    }
    unsigned named = map_address(shared_address(s), rank), value, which;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(named) : "memory");
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(which) : "r"(shared_address(far)));
    out[4 * blockIdx.x] = bits;
    out[4 * blockIdx.x + 1] = value;
    out[4 * blockIdx.x + 2] = which;
    out[4 * blockIdx.x + 3] = load_far(shared_address(far)) + 10 * load_far(shared_address(s));
    cluster.sync();
}

// One block waits for the other's flag, without a barrier.
__global__ void __cluster_dims__(2, 1, 1) flags(int *out) {
    __shared__ int flag;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0)
        flag = 0;
    cluster.sync();
    volatile int *far = cluster.map_shared_rank(&flag, rank ^ 1);
    for (int i = 1; i <= 20 && threadIdx.x == 0; i++) {
        if (rank == 1)
            while (*(volatile int *)&flag < i)
                ;
        *far = i;
        if (rank == 0)
            while (*(volatile int *)&flag < i)
                ;
    }
    cluster.sync();
    out[blockIdx.x] = flag;
}

// ---------------------------------------------------------------- mbarriers of other blocks

static __device__ void barrier_init(unsigned at, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ void barrier_wait(unsigned at, unsigned parity) {
    asm volatile(
        "{ .reg .pred p; WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; "
        "@p bra DONE; bra WAIT; DONE: }" ::"r"(at),
        "r"(parity)
        : "memory");
}

// Each block's threads write to the next one, and arrive there.
__global__ void __cluster_dims__(4, 1, 1) arrivals(int *out) {
    __shared__ unsigned long long bar;
    __shared__ int s[64];
    unsigned next = (cluster_rank() + 1) % 4, at = shared_address(&bar), far = map_address(at, next);
    int t = threadIdx.x;
    if (t == 0)
        barrier_init(at, 64);
    cluster_sync();
    for (int round = 0; round < 3; round++) {
        store_far(map_address(shared_address(&s[t]), next), 1000 * blockIdx.x + 10 * t + round);
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far) : "memory");
        barrier_wait(at, round & 1);
        out[(blockIdx.x * 3 + round) * 64 + t] = s[63 - t];
        cluster_sync();
    }
}

// Stores and sums that report their bytes to the other block's barrier.
__global__ void __cluster_dims__(2, 1, 1) told(int *out) {
    __shared__ unsigned long long bar;
    __shared__ __align__(16) int s[4 * 64];
    __shared__ int sum;
    unsigned other = cluster_rank() ^ 1, at = shared_address(&bar), far = map_address(at, other);
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(at, 1);
        sum = 0;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(64 * 20)
                     : "memory");
    }
    cluster_sync();
    int value = 1000 * blockIdx.x + t;
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %1, %2}, [%3];" ::
            "r"(map_address(shared_address(&s[4 * t]), other)),
        "r"(value), "r"(-value), "r"(far)
        : "memory");
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 [%0], %1, [%2];" ::
            "r"(map_address(shared_address(&sum), other)),
        "r"(value), "r"(far)
        : "memory");
    barrier_wait(at, 0);
    out[65 * blockIdx.x + t] = s[4 * t] + 2 * s[4 * t + 1] + 3 * s[4 * t + 2] + 4 * s[4 * t + 3];
    if (t == 0)
        out[65 * blockIdx.x + 64] = sum;
    cluster_sync();
}

// Block 0 fetches for all, and each other block fetches a piece of its own for block 0.
__global__ void __cluster_dims__(4, 1, 1) copies(int *out, const int *in) {
    __shared__ unsigned long long bar;
    __shared__ __align__(128) int s[64], gathered[4 * 16], own[16];
    unsigned rank = cluster_rank(), at = shared_address(&bar);
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(at, 1);
        unsigned bytes = (rank == 2 ? 0 : 256) + (rank == 0 ? 3 * 64 : 0);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                     : "memory");
    }
    s[t] = gathered[t] = -1;
    if (t < 16)
        own[t] = 100 * (int)blockIdx.x + t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster_sync();
    if (t == 0 && rank == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], 256, [%2], %3;" ::"r"(shared_address(s)),
                     "l"(in), "r"(at), "h"((unsigned short)0xb)
                     : "memory");
    if (t == 0 && rank != 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::
                "r"(map_address(shared_address(&gathered[16 * rank]), 0)),
            "r"(shared_address(own)), "r"(map_address(at, 0))
            : "memory");
    barrier_wait(at, 0);
    out[128 * blockIdx.x + t] = s[t];
    out[128 * blockIdx.x + 64 + t] = gathered[t];
    cluster_sync();
}

// One lane copies directly into the other block.
__global__ void __cluster_dims__(2, 1, 1) pushed(int *out, const int *in) {
    __shared__ unsigned long long bar;
    __shared__ __align__(128) int s[32];
    unsigned rank = cluster_rank(), at = shared_address(&bar);
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(at, 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(at) : "memory");
    }
    cluster_sync();
    if (t == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                map_address(shared_address(s), rank ^ 1)),
            "l"(in + 32 * blockIdx.x), "r"(map_address(at, rank ^ 1))
            : "memory");
    barrier_wait(at, 0);
    out[32 * blockIdx.x + t] = s[t];
    cluster_sync();
}

// The other block never arrives.
__global__ void __cluster_dims__(2, 1, 1) nobody_arrives() {
    __shared__ unsigned long long bar;
    if (threadIdx.x == 0)
        barrier_init(shared_address(&bar), 1);
    cluster_sync();
    if (blockIdx.x == 0)
        barrier_wait(shared_address(&bar), 0);
    cluster_sync();
}

// ---------------------------------------------------------------- faults

__global__ void __cluster_dims__(2, 1, 1) past_the_end(int *out) {
    __shared__ int s[32];
    unsigned far = map_address(shared_address(s), cluster_rank() ^ 1);
    cluster_sync();
    out[threadIdx.x] = load_far(far + 4 * threadIdx.x + 4);
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) no_such_block(int *out) {
    __shared__ int s[32];
    out[threadIdx.x] = load_far(map_address(shared_address(s), 2));
}

__global__ void __cluster_dims__(2, 1, 1) ended(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    cluster_sync();
    if (blockIdx.x == 1)
        return;
    for (int i = 0; i < 1000; i++)
        out[threadIdx.x] += load_far(map_address(shared_address(&s[threadIdx.x]), 1));
    __nanosleep(1000);
    out[threadIdx.x] += load_far(map_address(shared_address(&s[threadIdx.x]), 1));
}

__global__ void __cluster_dims__(2, 1, 1) anothers(int *out) {
    __shared__ int s[32];
    int value;
    asm volatile("ld.shared.s32 %0, [%1];"
                 : "=r"(value)
                 : "r"(map_address(shared_address(s), cluster_rank() ^ 1))
                 : "memory");
    out[threadIdx.x] = value;
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) never_comes(int *out) {
    __shared__ int flag;
    if (blockIdx.x == 0)
        cluster_sync();
    else
        __syncthreads();
    if (threadIdx.x < 32)
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    out[0] = flag;
}

__global__ void __cluster_dims__(2, 1, 1) arrives_twice() {
    cluster_arrive();
    cluster_arrive();
}

__global__ void __cluster_dims__(2, 1, 1) never_arrives() {
    cluster_wait();
}
}
