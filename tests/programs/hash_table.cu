/* A table that all threads fill concurrently: open addressing, keys by compare-and-swap, added values. */
#include "program.h"

const int slots = 2048;

__device__ int slot_of(int *keys, int key) {
    for (int at = mix(key) % slots;; at = (at + 1) % slots) {
        int seen = atomicCAS(&keys[at], 0, key);
        if (seen == 0 || seen == key)
            return at;
    }
}

__global__ void insert(const int *in, int n, int *keys, int *values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&values[slot_of(keys, in[i])], i);
}

__global__ void look_up(const int *in, int n, const int *keys, const int *values, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = mix(in[i]) % slots;
    while (keys[at] && keys[at] != in[i])
        at = (at + 1) % slots;
    out[i] = keys[at] ? values[at] : -1;
}

int main() {
    const int n = 2500;
    int host[n];
    for (int i = 0; i < n; i++)
        host[i] = 1 + mix(i) % 1400;
    int *in = to_device(host, n), *keys = device_array<int>(slots), *values = device_array<int>(slots);
    int *out = device_array<int>(n);
    insert<<<20, 128>>>(in, n, keys, values);
    look_up<<<20, 128>>>(in, n, keys, values, out);
    for (int i = 0; i < n; i++)
        host[i] += 700;
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    print_array("found", out, n);
    look_up<<<20, 128>>>(in, n, keys, values, out);
    CHECK_KERNEL();
    print_array("some found", out, n);
}
