/* Kernels that differ in what occupancy depends on. */
extern "C" {

__global__ void plain(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i];
}

__global__ void empty(void) {}

__global__ void shared_4k(int *out) {
    __shared__ int tile[1024];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void shared_48k(int *out) {
    __shared__ int tile[12288];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void __launch_bounds__(64) bounded(int *out) {
    out[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(128, 4) many_registers(float *out, int n) {
    float sum[96];
    for (int i = 0; i < 96; i++)
        sum[i] = out[i * 7];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 96; i++)
            sum[i] = sum[i] * sum[(i + 1) % 96] + out[k];
    for (int i = 0; i < 96; i++)
        out[i] = sum[i];
}

__global__ void local_array(int *out, int n) {
    int array[64];
    for (int i = 0; i < 64; i++)
        array[i] = out[i];
    for (int i = 0; i < n; i++)
        array[out[i] & 63] += i;
    for (int i = 0; i < 64; i++)
        out[i] = array[i];
}

__constant__ int table[100];
__global__ void constants(int *out) {
    out[threadIdx.x] = table[threadIdx.x];
}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clustered(int *out) {
    out[threadIdx.x] = 1;
}
#else
__global__ void clustered(int *out) {
    out[threadIdx.x] = 1;
}
#endif
}
