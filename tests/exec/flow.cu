// Control flow in which a warp's lanes take different paths; each kernel's result is easy to compute
// on the host.
#include <cstdint>

extern "C" {

__global__ void if_else(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    if (v & 1)
        v = v * 3 + 1;
    else if (v & 2)
        v = v / 2;
    else
        v = -v;
    out[i] = v;
}

__global__ void ragged_loop(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < (i & 31); k++) {
        if (in[k] == 5)
            continue;
        if (sum > 1000)
            break;
        sum += in[k] * k;
    }
    out[i] = sum;
}

__global__ void early_return(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (in[i] < 0) {
        out[i] = 7;
        return;
    }
    out[i] = in[i] + __popc(__activemask());
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci(i % 12);
}

__device__ __noinline__ int twice(int v) {
    return 2 * v;
}
__device__ __noinline__ int thrice(int v) {
    return 3 * v;
}
__device__ __noinline__ int square(int v) {
    return v * v;
}
typedef int function(int);
__device__ function *const table[3] = {twice, thrice, square};

__global__ void indirect(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = table[in[i] % 3](i);
    out[i] = v + __popc(__activemask()); // the lanes have met again
}

__global__ void jump_table(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    switch (v) {
    case 0:
        v = 11;
        break;
    case 1:
        v = i;
        break;
    case 2:
        v = i * i;
        break;
    case 3:
        v = 5 - i;
        break;
    case 4:
        v = i / 3;
        break;
    case 5:
        v = i % 3;
        break;
    case 6:
        v ^= i;
        break;
    default:
        v = -1;
    }
    out[i] = v;
}

__global__ void barrier_in_branches(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    if (t % 2) {
        s[t] = in[t];
        __syncthreads();
        out[t] = s[(t + 1) % blockDim.x];
    } else {
        s[t] = in[t] + 1;
        __syncthreads();
        out[t] = -s[(t + 1) % blockDim.x];
    }
}

__global__ void barrier_reductions(const int *in, int *out) {
    int t = threadIdx.x;
    int count = __syncthreads_count(in[t] > 3);
    int all = __syncthreads_and(in[t] >= 0);
    int any = __syncthreads_or(in[t] == 1000000);
    out[t] = count * 4 + !!all * 2 + !!any;
}

__global__ void lock_in_warp(int *lock, int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)counter = *(volatile int *)counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void named_barrier(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = t;
        asm volatile("bar.sync 3, 64;");
        out[t] = s[63 - t];
    } else {
        out[t] = t;
    }
}

__global__ void deadlock(int *out) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 2, 64;");
    out[threadIdx.x] = 1;
}

__global__ void warp_shuffle(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    if (i & 4)
        v = v + 1;
    for (int offset = 16; offset; offset /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    out[i] = v;
}

__global__ void split_shuffle(const int *in, int *out) {
    int i = threadIdx.x, v;
    if (i & 16)
        v = __shfl_sync(0xffff0000u, in[i], 31);
    else
        v = __shfl_sync(0x0000ffffu, in[i], 3);
    out[i] = v + __all_sync(0xffffffffu, v != 0);
}

__global__ void producer_consumer(volatile int *flag, volatile int *data, int *out) {
    if (threadIdx.x >= 32) {
        while (*flag == 0)
            ;
        out[threadIdx.x - 32] = data[threadIdx.x - 32];
    } else {
        data[threadIdx.x] = threadIdx.x * 7;
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0)
            *flag = 1;
    }
}

/* A store that the compiler does not merge with another. */
#define STORE(name, where, value)                                                                            \
    asm volatile("st.global.u32 [%0], %1; // " name ::"l"(where), "r"(value) : "memory")

/* Two conditions lead to the else block. */
__global__ void and_else(const int *in, int *out) {
    int i = threadIdx.x;
    if ((i & 1) && in[32 + in[i]] > 5)
        STORE("both", out + i, in[i]);
    else
        STORE("else", out + 32 + i, in[i]);
    STORE("all", out + 64 + i, i);
}

/* Lanes leave at the loop's end, after in[i] rounds, or by a break with code of its own. */
__global__ void loop_end(const int *in, int *out) {
    int i = threadIdx.x, round = 0;
#pragma unroll 1
    do {
        if (in[32 + round] == i) {
            STORE("break", out + i, -round);
            goto done;
        }
    } while (++round < in[i]);
    STORE("end", out + 32 + i, round);
done:
    STORE("all", out + 64 + i, round);
}
}
