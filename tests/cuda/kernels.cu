/* The kernels that the driver's tests load and launch. */
extern "C" {

__device__ int counter = 41;
__constant__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};

__global__ void vadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* Parameters of several sizes and alignments. */
struct triple {
    char a;
    double b;
};

__global__ void parameters(double *out, char c, short s, long long l, struct triple t, float f) {
    out[0] = c;
    out[1] = s;
    out[2] = (double)l;
    out[3] = t.a;
    out[4] = t.b;
    out[5] = f;
}

__global__ void no_parameters(void) {
    atomicAdd(&counter, 1);
}

__global__ void constants(float *out) {
    out[threadIdx.x] = table[threadIdx.x & 3];
}

__global__ void static_shared(int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

/* words: number of dynamic shared words, all of which are written. */
__global__ void dynamic_shared(int *out, int words) {
    extern __shared__ int tile_words[];
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        tile_words[i] = i;
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = tile_words[words - 1];
}

__global__ void __launch_bounds__(64) bounded(int *out) {
    out[threadIdx.x] = 1;
}

__global__ void store_at(int *to, int value) {
    *to = value;
}

__global__ void stop_here(void) {
    __trap();
}
}
