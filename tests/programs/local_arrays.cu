/* Per-thread arrays indexed by data: local memory, and small ones that stay in registers. */
#include "program.h"

__global__ void sort_own(const int *data, int *out, int n) {
    int own[16], i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < 16; k++)
        own[k] = data[k * n + i];
    for (int k = 1; k < 16; k++) {
        int x = own[k], at = k;
        for (; at > 0 && own[at - 1] > x; at--)
            own[at] = own[at - 1];
        own[at] = x;
    }
    for (int k = 0; k < 16; k++)
        out[k * n + i] = own[k];
}

__global__ void count_own(const int *data, int *out, int n) {
    unsigned char counts[64] = {};
    int i = threadIdx.x;
    for (int k = 0; k < n; k++)
        counts[data[k * blockDim.x + i] & 63]++;
    int h = 0;
    for (int k = 0; k < 64; k++)
        h = h * 7 + counts[k];
    out[i] = h;
}

__global__ void registers(const int *data, int *out) {
    int own[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        own[k] = data[k * 32 + threadIdx.x];
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum = sum * 3 + own[7 - k];
    out[threadIdx.x] = sum;
}

int main() {
    const int n = 200;
    int host[16 * n];
    for (int i = 0; i < 16 * n; i++)
        host[i] = mix(i) % 10000;
    int *data = to_device(host, 16 * n), *out = device_array<int>(16 * n);
    sort_own<<<2, 128>>>(data, out, n);
    CHECK_KERNEL();
    print_array("sorted", out, 16 * n);
    count_own<<<1, 64>>>(data, out, 40);
    print_array("counted", out, 64);
    registers<<<1, 32>>>(data, out);
    print_array("summed", out, 32);
}
