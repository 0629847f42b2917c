/* Every shuffle: widths, lanes out of range, types of 4 and 8 bytes and smaller ones. */
#include "program.h"

__global__ void exchange(double *out) {
    int lane = threadIdx.x & 31, row = threadIdx.x;
    int x = lane * 10 + threadIdx.x / 32;
    double d = lane / 8.0;
    long long l = (long long)lane << 33;
    double r[] = {(double)__shfl_sync(~0U, x, 5),
                  (double)__shfl_sync(~0U, x, lane + 3, 8),
                  (double)__shfl_sync(~0U, x, 31 - lane),
                  (double)__shfl_up_sync(~0U, x, 1),
                  (double)__shfl_up_sync(~0U, x, 3, 16),
                  (double)__shfl_down_sync(~0U, x, 2),
                  (double)__shfl_down_sync(~0U, x, 5, 4),
                  (double)__shfl_xor_sync(~0U, x, 16),
                  (double)__shfl_xor_sync(~0U, x, 3, 8),
                  __shfl_sync(~0U, d, lane ^ 7),
                  __shfl_down_sync(~0U, d, 8),
                  (double)__shfl_up_sync(~0U, l, 4),
                  (double)__shfl_xor_sync(~0U, (float)d, 1),
                  (double)__shfl_sync(~0U, (unsigned)x, -1)};
    for (int k = 0; k < 14; k++)
        out[k * 64 + row] = r[k];
    if (lane < 20) {
        double part = __shfl_sync(0xfffff, d, lane / 2);
        out[14 * 64 + row] = part;
    }
}

int main() {
    double *out = device_array<double>(15 * 64);
    exchange<<<1, 64>>>(out);
    CHECK_KERNEL();
    for (int k = 0; k < 15; k++)
        print_array("shuffle", out + k * 64, 64);
}
