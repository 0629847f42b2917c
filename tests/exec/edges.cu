// Rare cases of memory, calls and waiting that would reveal the simulator's shortcuts.
#include <cooperative_groups.h>
#include <cstdint>

extern "C" {

// With p null: the lanes are on both sides of address 0, or end directly at it.
__global__ void around_null(const int *p, int *out, int first) {
    out[threadIdx.x] = p[first + (int)threadIdx.x];
}

__global__ void constant_at_the_top(uint64_t address, int *out) {
    int value;
    asm volatile("ld.const.u32 %0, [%1];" : "=r"(value) : "l"(address));
    out[threadIdx.x] = value;
}

__device__ __noinline__ void bump(int *counter) {
    atomicAdd(counter, 1);
}

__global__ void bump_by_call(int *counters, int stride) {
    bump(counters + stride * threadIdx.x);
}

__device__ __noinline__ int *pick(int *counters, int i) {
    return counters + i * (i + 1) / 2;
}

__global__ void bump_result_of_call(int *counters) {
    atomicAdd(pick(counters, threadIdx.x), 1);
}

// Lanes wait in frames of different depths when one of them faults.
__device__ __noinline__ int dive(const int *in, int n) {
    int v = 1;
    if (n & 1)
        v += dive(in, n / 2);
    else if (n > 0)
        v += dive(in, n - 1);
    else
        v = in[v];
    return v + n;
}

__global__ void fault_in_the_deep(const int *in, int *out) {
    out[threadIdx.x] = dive(threadIdx.x == 21 ? nullptr : in, threadIdx.x);
}

__device__ __noinline__ int fill(int n) {
    volatile int room[8192];
    room[n] = n;
    return n ? fill(n - 1) + room[n] : 0;
}

__global__ void local_overflow(int *out) {
    out[threadIdx.x] = fill(100);
}

__device__ __noinline__ int wide(int n) {
    volatile int room[256];
    for (int i = 0; i < 256; i++)
        room[i] = n + i;
    return room[n & 255];
}

__global__ void past_local(int *out, int at, int call_first) {
    volatile int room[16];
    room[threadIdx.x & 15] = call_first ? wide(threadIdx.x) : 1;
    out[threadIdx.x] = room[at];
}

// Lanes 0 to 7 and 8 to 31 shuffle among themselves, but arrive in the groups 0 to 15 and 16 to 31.
__global__ void groups_across_strands(const int *in, int *out) {
    int t = threadIdx.x, v = in[t];
    unsigned members = t < 8 ? 0xffu : 0xffffff00u;
    int sum = 0;
    if (t < 16)
        for (int i = 0; i < v; i++)
            sum += in[i];
    else
        sum = -v;
    asm volatile("{ .reg .pred p, q; .reg .u32 d;"
                 "setp.lt.u32 p, %2, 16;"
                 "@p bra low%=;"
                 "mov.u32 d, %1;"
                 "setp.eq.u32 q, %2, 99;"
                 "@q exit;"
                 "bra.uni high%=;"
                 "low%=: add.u32 d, %1, 1;"
                 "high%=: redux.sync.add.u32 %0, d, %3; }"
                 : "=r"(sum)
                 : "r"(v), "r"(t), "r"(members));
    out[t] = sum;
}

// The last warp is partial, and arrives without waiting.
__global__ void partial_arrival(int *out) {
    __shared__ int box[32];
    if (threadIdx.x >= 32) {
        if (threadIdx.x == 32)
            box[5] = 77;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = box[5];
    }
}

// Warps 0 and 1 meet at barrier 1, then 2 and 3 do at the same one; warp 3 comes last, after barrier 2
// releases it.
__global__ void pairs_at_one_barrier(int *out) {
    __shared__ volatile int box;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        box = 1;
    __syncthreads();
    if (warp == 3) {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        box = 2;
    }
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (warp == 2)
        out[threadIdx.x % 32] = box;
    if (warp == 1)
        asm volatile("bar.arrive 2, 64;" ::: "memory");
}

// Lanes leave a long loop at different times, but store together.
__global__ void long_ragged_loop(int *out, int steps) {
    unsigned v = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < (threadIdx.x == 0 ? 2 * steps : steps); i++)
        if (v & 1)
            v = v / 2 ^ 0x80200003u;
        else
            v /= 2;
    out[threadIdx.x] = v;
}

__global__ void cluster_registers(int *out) {
    int is_explicit;
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.s32 %0, 1, 0, p; }"
                 : "=r"(is_explicit));
    out[threadIdx.x] = is_explicit;
}
// Lanes that do not return early meet again, as on an H200: at the end of an if,
__global__ void return_in_if(const int *in, unsigned *out) {
    int t = threadIdx.x, v = in[t];
    if (v & 1) {
        if (v & 2)
            return;
        v = in[v] * 3 + in[v + 1];
        out[64 + t] = v;
    } else {
        v = in[v + 5] - 7;
        out[96 + t] = v * v;
    }
    out[t] = __activemask();
}

// even if there is work to do first,
__global__ void late_return_in_if(const int *in, unsigned *out) {
    int t = threadIdx.x, v = in[t];
    if (v & 1) {
        if (v & 2) {
            out[64 + t] = in[v + 3];
            __threadfence();
            out[65 + t] = in[v + 4];
            return;
        }
        v = in[v] * 3 + in[v + 1];
        out[64 + t] = v;
    } else {
        v = in[v + 5] - 7;
        out[96 + t] = v * v;
    }
    out[t] = __activemask();
}

// after a loop,
__global__ void return_in_loop(const int *in, unsigned *out) {
    int t = threadIdx.x, v = in[t], s = 0;
    for (int i = 0; i < v; i++) {
        int x = in[(s + i) & 31];
        if (x == v)
            return;
        s += x;
        out[64 + ((t + s) & 31)] = s;
    }
    out[t] = __activemask();
}

// (unless the lanes that return from the loop have work to do first,)
__global__ void late_return_in_loop(const int *in, unsigned *out) {
    int t = threadIdx.x, v = in[t], s = 0;
    for (int i = 0; i < v; i++) {
        int x = in[(s + i) & 31];
        if (x == v) {
            out[64 + t] = s;
            __threadfence();
            out[96 + t] = in[s & 31];
            return;
        }
        if (x & 1) {
            s += x;
            __threadfence();
            out[64 + ((t + s) & 31)] = s;
        } else {
            s += 3;
        }
    }
    out[t] = __activemask();
}

// and after a check that never fails.
__global__ void trap_in_if(const int *in, unsigned *out) {
    int t = threadIdx.x, v = in[t];
    if (v & 1) {
        if (v > 5000)
            __trap();
        out[64 + t] = in[v];
    } else {
        out[96 + t] = in[v + 1];
    }
    out[t] = __activemask();
}

__device__ __noinline__ int checked(const int *in, int v) {
    if (v & 1) {
        if (v > 5000)
            __trap();
        if (v & 2)
            return in[v];
        v += in[v + 2];
    } else {
        v -= in[v + 1];
    }
    return v + __popc(__activemask());
}

__global__ void trap_in_function(const int *in, unsigned *out) {
    int t = threadIdx.x, v = checked(in, in[t]);
    out[t] = __activemask();
    out[32 + t] = v;
}

// Threads arrive one by one; after their wait they see what all wrote before they arrived.
__global__ void cluster_barrier(int *out) {
    __shared__ int s[96];
    int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        s[t] = 10 * t + round;
        if (t % 3)
            asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        else
            asm volatile("barrier.cluster.arrive;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        out[96 * round + t] = s[95 - t];
        asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    }
}

// Groups of two warps: their barriers are in the system's part of shared memory, next to the kernel's own.
__global__ void tiles_of_warps(int *out) {
    extern __shared__ int dynamic[];
    __shared__ cooperative_groups::block_tile_memory<128> scratch;
    __shared__ int own[128];
    auto block = cooperative_groups::this_thread_block(scratch);
    auto tile = cooperative_groups::tiled_partition<64>(block);
    int t = threadIdx.x;
    own[t] = dynamic[t] = t;
    tile.sync();
    int other = own[t ^ 63] + dynamic[t ^ 63];
    out[blockIdx.x * 128 + t] = other + 1000 * tile.shfl(t, 5);
}
}
