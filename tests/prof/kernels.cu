// Kernels with one trait each.
template <class T> __global__ void strided(T *out, const T *in, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
template __global__ void strided<float>(float *, const float *, int);

__global__ void vectors(float4 *out, const float4 *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

extern "C" __global__ void misaligned(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1];
}

extern "C" __global__ void conflicts(float *out) {
    __shared__ float tile[32][32];
    int i = threadIdx.x;
    tile[i][0] = out[i];
    __syncthreads();
    out[i] = tile[i ^ 1][0];
}

extern "C" __global__ void divergent(int *out) {
    int i = threadIdx.x, sum = 0;
    if (i % 2)
        for (int n = 0; n < i; n++)
            sum += out[n];
    atomicAdd(&out[i % 4], sum);
}

extern "C" __global__ void out_of_bounds(int *out) {
    out[1 << 24] = 1;
}

extern "C" __global__ void trapping(int *out) {
    out[threadIdx.x] = 1;
    __trap();
}

template <class T> __global__ void beyond(T *out) {
    out[1 << 24] = 1;
}
template __global__ void beyond<int>(int *);
template <class A, class B> struct pair_of {};
template <class A, class B> struct another_pair_of_types {};
template <class T> __global__ void astray(int *out) {
    out[1 << 24] = 1;
}
template __global__ void
astray<pair_of<another_pair_of_types<int, float>, another_pair_of_types<pair_of<float, double>, int>>>(int *);

extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);

extern "C" __global__ void asserting(int *out) {
    if (out[threadIdx.x] != 2)
        __assertfail("two", "kernels.cu", 1, "asserting", 1);
}

extern "C" __global__ void endless(volatile int *out) {
    while (out[threadIdx.x] != -1)
        ;
}
