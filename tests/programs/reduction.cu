/* The sum of an array, from a tree in shared memory to shuffles and one atomic per block. */
#include "program.h"

__global__ void interleaved(const int *data, int *out, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? data[i] : 0;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int at = 2 * step * t;
        if (at < blockDim.x)
            s[at] += s[at + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void halves(const int *data, int *out, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    s[t] = (i < n ? data[i] : 0) + (i + blockDim.x < n ? data[i + blockDim.x] : 0);
    __syncthreads();
    for (int step = blockDim.x / 2; step; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void shuffled(const int4 *data, int *out, int n) {
    __shared__ int warps[32];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        int4 x = data[i];
        sum += x.x + x.y + x.z + x.w;
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0U, sum, step);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        sum = __reduce_add_sync(~0U, sum);
        if (threadIdx.x == 0)
            atomicAdd(out, sum);
    }
}

int main() {
    const int n = 20000;
    int *host = (int *)malloc(n * sizeof *host);
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 1000;
    int *data = to_device(host, n), *out = device_array<int>(80), *one = device_array<int>(1);
    interleaved<<<79, 256, 1024>>>(data, out, n);
    print_array("interleaved", out, 79);
    halves<<<40, 256, 1024>>>(data, out, n);
    print_array("halves", out, 40);
    shuffled<<<6, 256>>>((const int4 *)data, one, n);
    CHECK_KERNEL();
    print_array("shuffled", one, 1);
    free(host);
}
