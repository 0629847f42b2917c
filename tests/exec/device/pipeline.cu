/* Barriers in shared memory and asynchronous copies, in the form that libcu++ and cooperative_groups use. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void arrive_and_wait(int *out, const int *in) {
    __shared__ block_barrier bar;
    __shared__ int s[256];
    int t = threadIdx.x;
    out += 256 * blockIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    s[t] = in[t];
    auto token = bar.arrive();
    int mine = 1000 * t;
    bar.wait(std::move(token));
    out[t] = s[255 - t] + mine;
    bar.arrive_and_wait();
    s[t] = -t;
    if (t >= 64) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    out[t] += s[255 - t];
    for (int i = 0; i < 5; i++) {
        bar.arrive_and_wait();
        if (t == i)
            s[0] += 10;
    }
    bar.arrive_and_wait();
    out[t] += s[0];
}

extern "C" __global__ void copies(int *out, const int *in) {
    __shared__ block_barrier bar;
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    out += 256 * blockIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, in + t, sizeof(int), bar);
    bar.arrive_and_wait();
    out[t] = s[255 - t];
    bar.arrive_and_wait();
    cuda::memcpy_async(cg::this_thread_block(), s, in + 256, cuda::aligned_size_t<16>(1024), bar);
    bar.arrive_and_wait();
    out[t] += 2 * s[255 - t];
}

extern "C" __global__ void pipelined(int *out, const int *in, int count) {
    __shared__ __align__(16) int s[2][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, i = 0; i < count; i++) {
        for (; next < count && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % 2], in + 256 * next, cuda::aligned_size_t<16>(1024), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += (i + 1) * s[i % 2][255 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

/* Half of the warps produce, and half consume. */
extern "C" __global__ void roles(int *out, const int *in, int count) {
    __shared__ int s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto role = threadIdx.x < 128 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    int t = threadIdx.x % 128, sum = 0;
    for (int i = 0; i < count; i++) {
        if (threadIdx.x < 128) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % 2][t], &in[128 * i + t], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += (i + 1) * s[i % 2][127 - t];
            pipe.consumer_release();
        }
    }
    if (threadIdx.x >= 128)
        out[t] = sum;
}

extern "C" __global__ void thread_pipeline(int *out, const int *in, int count) {
    __shared__ int s[2][256];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int next = 0, i = 0; i < count; i++) {
        for (; next < i + 2; next++) {
            pipe.producer_acquire();
            if (next < count)
                cuda::memcpy_async(&s[next % 2][threadIdx.x], &in[256 * next + threadIdx.x], sizeof(int),
                                   pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        sum += (i + 1) * s[i % 2][255 - threadIdx.x];
        __syncthreads();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

#if __CUDA_ARCH__ >= 800
/* out: pending arrivals, from the states of three arrivals; then from one with noComplete. */
extern "C" __global__ void pending(unsigned *out) {
    __shared__ unsigned long long bar;
    unsigned at = shared_address(&bar);
    unsigned long long state;
    asm volatile("mbarrier.init.shared.b64 [%0], 5;" ::"r"(at));
    for (int i = 0; i < 3; i++) {
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[i]) : "l"(state));
    }
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[3]) : "l"(state));
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    out[4] = (unsigned)bar;
}

extern "C" __global__ void not_initialised(void) {
    __shared__ unsigned long long bar[2];
    bar[0] = 0;
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(bar))
                 : "memory");
}

extern "C" __global__ void too_many(void) {
    __shared__ unsigned long long bar;
    unsigned at = shared_address(&bar);
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
    asm volatile("{ .reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s, [%0], 2; }" ::"r"(at) : "memory");
}

/* Zeros where the predicate is set, or beyond the given size. */
extern "C" __global__ void partial_copies(int *out, const int *in) {
    __shared__ __align__(16) int s[32][4];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++)
        s[t][i] = -1;
    unsigned at = shared_address(s[t]);
    if (t < 16)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + 4 * t), "r"(t)
                     : "memory");
    else
        asm volatile(
            "{ .reg .pred p; setp.ne.s32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 16, p; }" ::"r"(at),
            "l"(t % 3 ? nullptr : in + 4 * t), "r"(t % 3)
            : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int i = 0; i < 4; i++)
        out[4 * t + i] = s[t][i];
}

#endif

#if __CUDA_ARCH__ >= 900
/* Transaction bytes: one thread announces 48, others deliver them. */
extern "C" __global__ void bytes(int *out) {
    __shared__ unsigned long long bar;
    __shared__ int value;
    unsigned at = shared_address(&bar);
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
        value = 0;
    }
    __syncthreads();
    if (t == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 48;" ::"r"(at) : "memory");
    if (t >= 32 && t < 35) {
        atomicAdd(&value, 7);
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
    }
    if (t < 32 || t >= 64) {
        unsigned done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, 1000; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(at)
                         : "memory");
        out[t] = value;
    }
}

extern "C" __global__ void bulk(int *out, const int *in, int bytes) {
    __shared__ __align__(128) int s[1024];
    __shared__ unsigned long long bar;
    unsigned at = shared_address(&bar);
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                shared_address(s)),
            "l"(in), "r"(bytes), "r"(at)
            : "memory");
    }
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    for (int i = t; i < bytes / 4; i += blockDim.x)
        s[i] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                     "r"(shared_address(s)), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group.read 0;");
    }
}

extern "C" __global__ void waits_for_ever(void) {
    __shared__ unsigned long long bar;
    unsigned at = shared_address(&bar), done = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
}
#endif
