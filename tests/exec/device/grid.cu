#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

/* In each round every thread adds up its neighbours' values from the previous round. */
extern "C" __global__ void rounds(int *a, int *b, int n, int count) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    for (int r = 0; r < count; r++) {
        if (i < n)
            b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
        grid.sync();
        int *t = a;
        a = b;
        b = t;
    }
}

extern "C" __global__ void grid_is_valid(int *out) {
    cg::grid_group grid = cg::this_grid();
    if (grid.thread_rank() == 0)
        *out = grid.is_valid();
}

/* Decoupled look-back: each block waits for its predecessor's sum. */
extern "C" __global__ void chain(volatile int *flags, volatile int *sums) {
    int block = gridDim.x - 1 - blockIdx.x; /* the last block is first: it must be resident with all others */
    __shared__ int before;
    if (threadIdx.x == 0) {
        int sum = 0;
        if (block > 0) {
            while (flags[block - 1] == 0)
                ;
            __threadfence();
            sum = sums[block - 1];
        }
        before = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[block] = before + block;
        __threadfence();
        flags[block] = 1;
    }
}

/* A program's own barrier, in an ordinary launch. */
extern "C" __global__ void own_barrier(int *arrived, int *out) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x)
            __nanosleep(100);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *(volatile int *)arrived;
}

/* Every thread takes the lock, including lanes of one warp. */
extern "C" __global__ void lock(int *taken, int *count) {
    while (atomicCAS(taken, 0, 1) != 0)
        ;
    __threadfence();
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(taken, 0);
}

/* Lanes wait for lanes of their own warp. */
extern "C" __global__ void relay(volatile int *turn) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (*turn != i)
        ;
    *turn = i + 1;
}

/* Warps wait for each other through shared memory. */
extern "C" __global__ void ping_pong(int *out, int count) {
    __shared__ int ball;
    if (threadIdx.x == 0)
        ball = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> shared(ball);
    if (threadIdx.x % 32 == 0)
        for (int i = threadIdx.x / 32; i < count; i += 2) {
            while (shared.load(cuda::memory_order_acquire) != i)
                ;
            shared.store(i + 1, cuda::memory_order_release);
        }
    __syncthreads();
    out[threadIdx.x] = ball;
}
