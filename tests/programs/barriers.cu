/* cuda::barrier in shared memory: arrive, wait, phases; half of a block produces, half consumes. */
#include <cuda/barrier>

#include "program.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void relay(const int *data, int *out, int rounds) {
    __shared__ barrier full, empty;
    __shared__ int slots[64];
    int i = threadIdx.x;
    if (i == 0) {
        init(&full, 128);
        init(&empty, 128);
    }
    __syncthreads();
    if (i < 64) {
        for (int k = 0; k < rounds; k++) {
            empty.arrive_and_wait();
            slots[i] = data[k * 64 + i] * 2;
            (void)full.arrive();
        }
    } else {
        int sum = 0;
        (void)empty.arrive();
        for (int k = 0; k < rounds; k++) {
            full.arrive_and_wait();
            sum += slots[127 - i] * (k + 1);
            if (k + 1 < rounds)
                (void)empty.arrive();
        }
        out[i - 64] = sum;
    }
}

__global__ void phases(int *out) {
    __shared__ barrier all;
    __shared__ int x[96];
    if (threadIdx.x == 0)
        init(&all, blockDim.x);
    __syncthreads();
    x[threadIdx.x] = threadIdx.x;
    for (int k = 1; k < 5; k++) {
        barrier::arrival_token token = all.arrive();
        all.wait(std::move(token));
        int y = x[(threadIdx.x + k * 7) % 96];
        all.arrive_and_wait();
        x[threadIdx.x] += y;
    }
    out[threadIdx.x] = x[threadIdx.x];
}

int main() {
    const int rounds = 6;
    int host[rounds * 64];
    for (int i = 0; i < rounds * 64; i++)
        host[i] = mix(i) % 100;
    int *out = device_array<int>(96);
    relay<<<1, 128>>>(to_device(host, rounds * 64), out, rounds);
    CHECK_KERNEL();
    print_array("relay", out, 64);
    phases<<<1, 96>>>(out);
    CHECK_KERNEL();
    print_array("phases", out, 96);
}
