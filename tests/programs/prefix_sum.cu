/* Prefix sums: Hillis and Steele, Blelloch with padding, warp scans; a second launch joins the
 * blocks. */
#include "program.h"

__global__ void hillis(const int *in, int *out) {
    __shared__ int s[2][256];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[t] = s[from][t];
}

#define PAD(i) ((i) + ((i) >> 5))

__global__ void blelloch(const int *in, int *out) {
    __shared__ int s[PAD(512)];
    int t = threadIdx.x;
    s[PAD(t)] = in[t];
    s[PAD(t + 256)] = in[t + 256];
    int step = 1;
    for (int d = 256; d; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d)
            s[PAD(step * (2 * t + 2) - 1)] += s[PAD(step * (2 * t + 1) - 1)];
    }
    if (t == 0)
        s[PAD(511)] = 0;
    for (int d = 1; d <= 256; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int low = PAD(step * (2 * t + 1) - 1), high = PAD(step * (2 * t + 2) - 1), x = s[low];
            s[low] = s[high];
            s[high] += x;
        }
    }
    __syncthreads();
    out[t] = s[PAD(t)];
    out[t + 256] = s[PAD(t + 256)];
}

__global__ void warps(const int *in, int *out, int *sums, int n) {
    __shared__ int totals[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5,
        x = i < n ? in[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        int y = __shfl_up_sync(~0U, x, step);
        if (lane >= step)
            x += y;
    }
    if (lane == 31)
        totals[warp] = x;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        x += totals[w];
    if (i < n)
        out[i] = x;
    if (threadIdx.x == 255)
        sums[blockIdx.x] = x;
}

__global__ void join(int *out, const int *sums, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, before = 0;
    for (int b = 0; b < blockIdx.x; b++)
        before += sums[b];
    if (i < n)
        out[i] += before;
}

int main() {
    const int n = 3000;
    int host[n];
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 100;
    int *in = to_device(host, n), *out = device_array<int>(n), *sums = device_array<int>(12);
    hillis<<<1, 256>>>(in, out);
    print_array("Hillis", out, 256);
    blelloch<<<1, 256>>>(in, out);
    print_array("Blelloch", out, 512);
    warps<<<12, 256>>>(in, out, sums, n);
    join<<<12, 256>>>(out, sums, n);
    CHECK_KERNEL();
    print_array("blocks", out, n);
}
