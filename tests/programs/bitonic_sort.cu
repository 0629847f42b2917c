/* Bitonic sort: in one block's shared memory, and in a warp by shuffles. */
#include "program.h"

__global__ void sort_block(int *data) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = data[t];
    s[t + 256] = data[t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (step - 1)), high = low + step;
            int a = s[low], b = s[high];
            bool up = (low & size) == 0;
            if ((a > b) == up) {
                s[low] = b;
                s[high] = a;
            }
        }
    __syncthreads();
    data[t] = s[t];
    data[t + 256] = s[t + 256];
}

__global__ void sort_warp(float *data) {
    int lane = threadIdx.x & 31;
    float x = data[blockIdx.x * 32 + lane];
    for (int size = 2; size <= 32; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            float y = __shfl_xor_sync(~0U, x, step);
            bool small = ((lane & step) == 0) == ((lane & size) == 0);
            x = small ? fminf(x, y) : fmaxf(x, y);
        }
    data[blockIdx.x * 32 + lane] = x;
}

int main() {
    int host[512];
    float floats[96];
    for (int i = 0; i < 512; i++)
        host[i] = mix(i) % 100000;
    for (int i = 0; i < 96; i++)
        floats[i] = (int)mix(i) / 1e6f;
    int *data = to_device(host, 512);
    float *f = to_device(floats, 96);
    sort_block<<<1, 256>>>(data);
    sort_warp<<<3, 32>>>(f);
    CHECK_KERNEL();
    print_array("block", data, 512);
    for (int w = 0; w < 3; w++)
        print_array("warp", f + 32 * w, 32);
}
