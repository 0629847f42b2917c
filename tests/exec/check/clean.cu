// Correct programs that a careless checker would report.
#include <cooperative_groups.h>
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void early_exit(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i >= n)
        return;
    s[i] = b[i];
    __syncthreads();
    a[i] = s[n - 1 - i];
}

// One barrier per step is enough with alternating buffers.
extern "C" __global__ void double_buffer(int *a, int *b, int n) {
    __shared__ int s[2][64];
    int i = threadIdx.x, sum = 0;
    for (int step = 0; step < n; step += 64) {
        int(*now) = s[step / 64 & 1];
        now[i] = b[step + i];
        __syncthreads();
        sum += now[63 - i];
    }
    a[i] = sum;
}

// Many threads store the same value.
extern "C" __global__ void same_value(int *a, int *b, int n) {
    __shared__ int found;
    found = 0;
    __syncthreads();
    if (b[blockIdx.x * blockDim.x + threadIdx.x] > 10)
        found = 1;
    __syncthreads();
    if (found)
        a[0] = 1;
}

// Two blocks store the same half of each word, and one of them also stores the other half.
extern "C" __global__ void same_half(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (blockIdx.x % 2 == 0)
        ((unsigned short *)a)[2 * i + 1] = (unsigned short)i;
    else
        a[i] = i << 16 | 7;
}

// The last warp of the classic reduction, by volatile accesses.
extern "C" __global__ void volatile_reduction(int *a, int *b, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = b[i];
    __syncthreads();
    if (i < 64)
        s[i] += s[i + 64];
    __syncthreads();
    if (i < 32) {
        volatile int *v = s;
        for (int step = 32; step > 0; step /= 2) {
            int other = v[i + step];
            __syncwarp();
            v[i] += other;
            __syncwarp();
        }
        if (i == 0)
            a[0] = s[0];
    }
}

// Two warps exchange data through a volatile flag and fences.
extern "C" __global__ void flag(int *a, int *b, int n) {
    __shared__ int data[32];
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        data[threadIdx.x] = b[threadIdx.x];
        __syncwarp();
        __threadfence_block();
        if (threadIdx.x == 0)
            ready = 1;
    } else {
        while (!ready)
            ;
        __threadfence_block();
        a[threadIdx.x - 32] = data[63 - threadIdx.x];
    }
}

// Each block waits for the previous one: a chained sum.
extern "C" __global__ void chain(int *a, int *b, int n) {
    volatile int *flags = b;
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (!flags[blockIdx.x - 1])
                ;
            __threadfence();
            before = a[blockIdx.x - 1];
        }
        a[blockIdx.x] = before + 1;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

// A producer that continues (bar.arrive) and a consumer that waits (bar.sync), alternately.
extern "C" __global__ void specialised(int *a, int *b, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int step = 0; step < n; step += 32)
        if (threadIdx.x < 32) {
            s[lane] = b[step + lane];
            __threadfence_block();
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    if (threadIdx.x >= 32)
        a[lane] = sum;
}

// Different threads write words byte by byte, except the padding.
struct padded {
    char c;
    int i;
};
extern "C" __global__ void bytes(int *a, int *b, int n) {
    __shared__ unsigned char s[64];
    __shared__ padded p[16];
    unsigned char *out = (unsigned char *)a;
    int i = threadIdx.x;
    s[i] = (unsigned char)b[i];
    out[i] = (unsigned char)(i + 1);
    if (i < 16) {
        p[i].c = (char)i;
        p[i].i = i;
    }
    __syncthreads();
    if (i < 16) {
        int word = ((int *)s)[i];
        padded copy = p[15 - i];
        a[16 + i] = word + copy.c + copy.i;
    }
}

extern "C" __global__ void shuffle_sum(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? b[i] : 0;
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(a, value);
}

// Lanes diverge, wait for their halves, and meet again.
extern "C" __global__ void halves(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i] = b[i];
    if (i < 16) {
        __syncwarp(0xffff);
        a[i] = s[15 - i];
    } else {
        __syncwarp(0xffff0000);
        a[i] = s[47 - i];
    }
    __syncthreads();
    b[i] = s[31 - i];
}

static __device__ __noinline__ int deep(const int *x, int depth) {
    int y[4];
    for (int i = 0; i < 4; i++)
        y[i] = x[i] + depth;
    return depth ? deep(y, depth - 1) : y[x[0] & 3];
}
extern "C" __global__ void recursion(int *a, int *b, int n) {
    a[threadIdx.x] = deep(b, threadIdx.x % 5);
}

// Two warps fill two buffers, two others read them; each buffer has barriers for full and for empty.
extern "C" __global__ void producer_consumer(int *a, int *b, int n) {
    __shared__ int s[2][64];
    int i = threadIdx.x % 64, sum = 0;
    bool producer = threadIdx.x < 64;
    for (int step = 0; step < n / 64; step++) {
        int turn = step & 1;
        if (producer) {
            if (step >= 2)
                asm volatile("bar.sync %0, 128;" ::"r"(3 + turn) : "memory"); // empty
            s[turn][i] = b[64 * step + i];
            asm volatile("bar.arrive %0, 128;" ::"r"(1 + turn) : "memory"); // full
        } else {
            asm volatile("bar.sync %0, 128;" ::"r"(1 + turn) : "memory");
            sum += s[turn][63 - i];
            if (step + 2 < n / 64)
                asm volatile("bar.arrive %0, 128;" ::"r"(3 + turn) : "memory");
        }
    }
    if (!producer)
        a[i] = sum;
}

// Tiles of 8 lanes and the whole block, by cooperative groups.
extern "C" __global__ void tiles(int *a, int *b, int n) {
    __shared__ int s[128];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    cooperative_groups::thread_block_tile<8> tile = cooperative_groups::tiled_partition<8>(block);
    int i = threadIdx.x, *mine = s + i / 8 * 8;
    s[i] = b[i];
    tile.sync();
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += mine[k];
    tile.sync();
    mine[7 - tile.thread_rank()] = sum;
    block.sync();
    a[i] = s[127 - i] + tile.shfl_xor(sum, 1);
}

// Lanes pass values on through shared memory, step by step.
extern "C" __global__ void warp_exchange(int *a, int *b, int n) {
    __shared__ int s[64];
    int lane = threadIdx.x % 32, *row = s + threadIdx.x / 32 * 32, value = b[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) {
        row[lane] = value;
        __syncwarp();
        value += row[lane ^ step];
        __syncwarp();
    }
    a[threadIdx.x] = value;
}

// The block that finishes last adds up the blocks' sums: the toolkit's threadFenceReduction.
extern "C" __global__ void last_block_reduces(int *a, int *b, int n) {
    __shared__ int s[64];
    __shared__ bool last;
    int i = threadIdx.x;
    s[i] = b[blockIdx.x * 64 + i];
    __syncthreads();
    for (int half = 32; half; half /= 2) {
        if (i < half)
            s[i] += s[i + half];
        __syncthreads();
    }
    if (i == 0) {
        a[1 + blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc((unsigned *)a, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        s[i] = i < (int)gridDim.x ? a[1 + i] : 0;
        __syncthreads();
        if (i == 0) {
            int sum = 0;
            for (int k = 0; k < (int)gridDim.x; k++)
                sum += s[k];
            a[63] = sum;
        }
    }
}

// A single-pass scan: each block publishes its own sum, looks back at earlier ones, and publishes the sum
// up to itself.  The state is 1 or 2 in a separate word, b[n..]; the sums are in a[n..] and a[n + 32..].
extern "C" __global__ void look_back(int *a, int *b, int n) {
    __shared__ int before;
    int block = blockIdx.x, i = threadIdx.x, value = b[block * 32 + i];
    volatile int *state = b + n;
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(0xffffffff, value, step);
        value += i >= step ? left : 0;
    }
    if (i == 31) {
        a[n + block] = value;
        __threadfence();
        state[block] = 1;
        int sum = 0;
        for (int k = block - 1; k >= 0; k--) {
            int seen;
            while (!(seen = state[k]))
                ;
            __threadfence();
            sum += seen == 2 ? a[n + 32 + k] : a[n + k];
            if (seen == 2)
                break;
        }
        a[n + 32 + block] = sum + value;
        __threadfence();
        state[block] = 2;
        before = sum;
    }
    __syncwarp();
    a[block * 32 + i] = before + value;
}

// The same exchange by acquire and release, without fences.
extern "C" __global__ void acquire_release(int *a, int *b, int n) {
    int *flag = b + n + blockIdx.x;
    if (threadIdx.x == 0) {
        int before = 0, ready = 0;
        if (blockIdx.x > 0) {
            while (!ready)
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(flag - 1) : "memory");
            before = a[blockIdx.x - 1];
        }
        a[blockIdx.x] = before + b[blockIdx.x];
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    }
}

// A ring of asynchronous copies: first each thread's own words, then the neighbours'.
extern "C" __global__ void async_stages(int *a, int *b, int n) {
    __shared__ int s[2][64];
    int i = threadIdx.x, sum = 0;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[0][i]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(to), "l"(b + i)
                 : "memory");
    for (int step = 0; step < n; step += 64) {
        int turn = step / 64 & 1;
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        if (step + 64 < n)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(
                             to + 256 * (1 - turn)),
                         "l"(b + step + 64 + i)
                         : "memory");
        sum += s[turn][63 - i];
    }
    a[i] = sum;
}

// cuda::barrier: an mbarrier where all threads arrive and wait, phase after phase.
extern "C" __global__ void barrier_object(int *a, int *b, int n) {
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x, sum = 0;
    if (i == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int step = 0; step < n; step += 64) {
        s[i] = b[step + i];
        barrier.arrive_and_wait();
        sum += s[63 - i];
        barrier.arrive_and_wait();
    }
    a[i] = sum;
}

// Bulk copies in and out; the first is awaited at an mbarrier.
extern "C" __global__ void bulk_copies(int *a, int *b, int n) {
    __shared__ __align__(16) int s[64];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned to = (unsigned)__cvta_generic_to_shared(s), at = (unsigned)__cvta_generic_to_shared(&barrier);
    int i = threadIdx.x;
    if (i == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (i == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                to),
            "l"(b), "r"(at)
            : "memory");
    }
    unsigned done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    int value = s[63 - i];
    __syncthreads();
    s[i] = value;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(a), "r"(to)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Warps wait at different instructions: CUDA C++ forbids this for __syncthreads(), but in PTX and in
// hardware only the barrier's number matters.
extern "C" __global__ void barrier_in_two_places(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = b[threadIdx.x];
    if (threadIdx.x < 32) {
        __syncthreads();
        a[threadIdx.x] = s[63 - threadIdx.x];
    } else {
        __syncthreads();
        a[threadIdx.x] = s[63 - threadIdx.x] + 1;
    }
}

// Clusters of two blocks.  Alternately each writes and reads the other's shared memory, ordered by the
// cluster's barrier, whose arrivals come early.
static __device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
template <class T> static __device__ __forceinline__ T *across(T *at) {
    unsigned long long far;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(far) : "l"(at), "r"(cluster_rank() ^ 1));
    return (T *)far;
}
#define ARRIVE() asm volatile("barrier.cluster.arrive.aligned;" ::: "memory")
#define WAIT()   asm volatile("barrier.cluster.wait.aligned;" ::: "memory")

extern "C" __global__ void __cluster_dims__(2, 1, 1) exchange(int *a, int *b, int n) {
    __shared__ int s[64], t[64];
    int i = threadIdx.x, own = blockIdx.x * 64 + i, sum = 0;
    for (int round = 0; round < 3; round++) {
        s[i] = b[own] + round;
        __syncthreads();
        t[i] = s[63 - i];
        ARRIVE();
        int before = a[own];
        WAIT();
        sum += across(t)[63 - i] + before;
        ARRIVE();
        a[own] = sum;
        WAIT();
    }
    across(s)[i] = sum;
    ARRIVE();
    WAIT();
    a[own] = s[63 - i];
}

// Blocks that exchange global memory, ordered by their barrier and by flags in shared memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1) hands_over(int *a, int *b, int n) {
    __shared__ int flag;
    int i = threadIdx.x, own = blockIdx.x * 64 + i, others = (blockIdx.x ^ 1) * 64 + i;
    if (i == 0)
        flag = 0;
    a[own] = b[own];
    ARRIVE();
    WAIT();
    int value = a[others];
    ARRIVE();
    WAIT();
    if (cluster_rank() == 0) {
        a[own] = value + 1;
        __threadfence();
        __syncthreads();
        if (i == 0)
            *(volatile int *)across(&flag) = 1;
    } else {
        if (i == 0)
            while (*(volatile int *)&flag == 0)
                ;
        __threadfence();
        __syncthreads();
        value = a[others];
    }
    ARRIVE();
    WAIT();
    a[own] = value;
}

// One block writes to the other's shared memory and arrives at its mbarrier; the other ends after waiting
// there.
extern "C" __global__ void __cluster_dims__(2, 1, 1) producer_across(int *a, int *b, int n) {
    __shared__ int s[64];
    __shared__ unsigned long long barrier;
    int i = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (i == 0)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 64;\n\tfence.mbarrier_init.release.cluster;" ::"r"(at)
            : "memory");
    ARRIVE();
    WAIT();
    if (cluster_rank() == 0) {
        across(s)[i] = b[i];
        unsigned far = (unsigned)__cvta_generic_to_shared(across(&barrier));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far) : "memory");
        return;
    }
    unsigned done = 0;
    while (!done)
        asm volatile(
            "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;"
            "\n\tselp.u32 %0, 1, 0, p;\n\t}"
            : "=r"(done)
            : "r"(at)
            : "memory");
    a[i] = s[63 - i];
}

// Sums of all blocks in the first block's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) sums_across(int *a, int *b, int n) {
    __shared__ int sum[4];
    int i = threadIdx.x;
    if (i < 4)
        sum[i] = 0;
    ARRIVE();
    WAIT();
    unsigned long long far;
    asm volatile("mapa.u64 %0, %1, 0;" : "=l"(far) : "l"(&sum[i % 4]));
    atomicAdd((int *)far, b[blockIdx.x * 64 + i]);
    ARRIVE();
    WAIT();
    if (cluster_rank() == 0 && i < 4)
        a[blockIdx.x + i] = sum[i];
}
#undef ARRIVE
#undef WAIT

// Structures are moved with their padding: through memory, shared and local, and from lane to lane.
struct flagged {
    bool b;
    long long l;
};
extern "C" __global__ void padded_fill(int *a, int *b, int n) {
    flagged *p = (flagged *)b;
    int i = threadIdx.x;
    if (i < n) {
        p[i].b = i % 2;
        p[i].l = i;
    }
}
extern "C" __global__ void padded_copy(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (i < n)
        ((flagged *)a)[i] = ((flagged *)b)[i];
}
extern "C" __global__ void padded_words(int *a, int *b, int n) {
    for (int i = threadIdx.x; i < 4 * n; i += blockDim.x)
        a[i] = __shfl_xor_sync(0xffffffff, b[i], 0);
}
extern "C" __global__ void padded_exchange(int *a, int *b, int n) {
    __shared__ flagged s[32];
    int i = threadIdx.x;
    s[i].b = ((flagged *)b)[i % n].b;
    s[i].l = ((flagged *)b)[i % n].l;
    __syncthreads();
    flagged kept[4];
    for (int k = 0; k < 4; k++)
        kept[k] = s[(i + k) % 32];
    flagged one = kept[b[0] & 3];
    if (i < n)
        ((flagged *)a)[i] = one;
}
