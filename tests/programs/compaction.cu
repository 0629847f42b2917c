/* Stream compaction in order: ballots in a warp, a scan over warps, a scan over blocks. */
#include "program.h"

__global__ void count(const int *in, int n, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int kept = __syncthreads_count(i < n && in[i] % 3 == 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x + 1] = kept;
}

__global__ void keep(const int *in, int n, const int *counts, int *out, int *total) {
    __shared__ int warps[8], base;
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool mine = i < n && in[i] % 3 == 0;
    unsigned votes = __ballot_sync(~0U, mine);
    if (lane == 0)
        warps[warp] = __popc(votes);
    if (threadIdx.x == 0) {
        base = 0;
        for (int b = 0; b <= blockIdx.x; b++)
            base += counts[b];
    }
    __syncthreads();
    int at = base;
    for (int w = 0; w < warp; w++)
        at += warps[w];
    if (mine)
        out[at + __popc(votes & ((1u << lane) - 1))] = in[i];
    if (i == n - 1)
        *total = at + __popc(votes);
}

int main() {
    const int n = 2000, blocks = 8;
    int host[n], total;
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 1000;
    int *in = to_device(host, n), *counts = device_array<int>(blocks + 1), *out = device_array<int>(n);
    int *kept = device_array<int>(1);
    count<<<blocks, 256>>>(in, n, counts);
    keep<<<blocks, 256>>>(in, n, counts, out, kept);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&total, kept, sizeof total, cudaMemcpyDeviceToHost));
    printf("%d of %d\n", total, n);
    print_array("kept", out, total);
}
