/* cuda::atomic_ref: orders and scopes, fetch and compare_exchange, a message from block to block. */
#include <cuda/atomic>

#include "program.h"

__global__ void count(int *counter, long long *wide, float *most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> c(*counter);
    c.fetch_add(i & 3, cuda::memory_order_relaxed);
    cuda::atomic_ref<long long, cuda::thread_scope_system> w(*wide);
    w.fetch_max((long long)mix(i) << 3, cuda::memory_order_acq_rel);
    cuda::atomic_ref<float, cuda::thread_scope_device> m(*most);
    float seen = m.load(), mine = mix(i) % 100000;
    while (seen < mine && !m.compare_exchange_weak(seen, mine)) {
    }
}

__global__ void pass(int *flag, int *data, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        __syncthreads();
        if (threadIdx.x == 0)
            f.store(1, cuda::memory_order_release);
    } else {
        if (threadIdx.x == 0)
            while (f.load(cuda::memory_order_acquire) == 0) {
            }
        __syncthreads();
        out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    }
}

int main() {
    int *counter = device_array<int>(1), *data = device_array<int>(64), *out = device_array<int>(64);
    long long *wide = device_array<long long>(1);
    float *most = device_array<float>(1);
    count<<<4, 128>>>(counter, wide, most);
    CHECK_KERNEL();
    print_array("counter", counter, 1);
    print_array("wide", wide, 1);
    print_array("most", most, 1);
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    pass<<<2, 64>>>(counter, data, out);
    CHECK_KERNEL();
    print_array("passed", out, 64);
}
