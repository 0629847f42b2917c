/* Divergent lanes: loops of different lengths, nested conditions, early returns, breaks and gotos. */
#include "program.h"

__global__ void collatz(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long x = i + 1;
    int steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[i] = steps;
}

__global__ void paths(const int *data, int *out) {
    int i = threadIdx.x, x = data[i], r = 0;
    for (int k = 0; k < 20; k++) {
        if (x % 7 == k % 7)
            continue;
        if (x > 900 && k > 5)
            break;
        if (x & 1) {
            r += data[(i + k) & 63];
            if (x & 2)
                r ^= k;
            else if (x & 4)
                goto out;
        } else {
            do {
                r += x & 15;
                x = x / 3 + 1;
            } while (r % 5 && x > 1);
        }
        x += k;
    }
    r *= 2;
out:
    __syncwarp();
    out[i] = r + __popc(__ballot_sync(~0U, r & 1));
}

int main() {
    int host[64], *out = device_array<int>(1000);
    for (int i = 0; i < 64; i++)
        host[i] = mix(i) % 1000;
    collatz<<<4, 256>>>(out, 1000);
    CHECK_KERNEL();
    print_array("collatz", out, 1000);
    paths<<<1, 64>>>(to_device(host, 64), out);
    CHECK_KERNEL();
    print_array("paths", out, 64);
}
