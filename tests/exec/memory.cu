// Memory of every space, width and kind.
#include <cstdint>

struct pair {
    short a;
    long long b;
    char c;
};
__constant__ int constants[64] = {1, 2, 3, 5, 8, 13};
__device__ int counter = 40;
__device__ const char *text = "wideload";
__device__ double weights[2][3] = {{1, 2, 3}, {4, 5, 6}};

extern "C" {

__global__ void widths(const unsigned char *in, unsigned char *out) {
    int t = threadIdx.x;
    ((signed char *)out)[t] = (signed char)(((const signed char *)in)[t] / 2);
    ((short *)(out + 64))[t] = (short)(((const short *)(in + 64))[t] / 2);
    ((long long *)(out + 192))[t] = ((const long long *)(in + 192))[t] / 2;
    ((double *)(out + 512))[t] = ((const double *)(in + 512))[t] * 0.5;
    ((uint4 *)(out + 1024))[t] = ((const uint4 *)(in + 1024))[t];
    ((double2 *)(out + 2048))[t] = ((const double2 *)(in + 2048))[t];
    ((uchar4 *)(out + 4096))[t] = ((const uchar4 *)(in + 4096))[t];
    ((ushort2 *)(out + 4352))[t] = ((const ushort2 *)(in + 4352))[t];
}

__global__ void local_array(const int *pick, int *out) {
    int a[64];
    for (int k = 0; k < 64; k++)
        a[k] = k * pick[k & 3];
    int sum = 0;
    for (int k = 0; k < 64; k++)
        sum += a[(k * 7 + pick[threadIdx.x & 31]) & 63];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ __noinline__ int through(const int *p, int i) {
    return p[i];
}

__global__ void generic(const int *in, int *out, int which) {
    __shared__ int s[32];
    int l[4];
    int t = threadIdx.x;
    s[t] = in[t] + 100;
    for (int k = 0; k < 4; k++)
        l[k] = in[t] + 200 + k;
    __syncthreads();
    const int *p = t % 3 == 0 ? in : t % 3 == 1 ? s : l;
    out[t] = through(p, t % 3 == 2 ? which & 3 : t) + (__isShared(p) ? 1000 : 0) + (__isGlobal(p) ? 2000 : 0);
}

__global__ void module_variables(int *out) {
    int t = threadIdx.x;
    if (t < 6)
        out[t] = constants[t];
    else if (t < 14)
        out[t] = text[t - 6];
    else if (t < 20)
        out[t] = (int)weights[(t - 14) / 3][(t - 14) % 3];
    else if (t == 20)
        out[t] = counter++;
}

__global__ void dynamic_shared(const int *in, int *out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[32];
    int t = threadIdx.x;
    dynamic[t] = in[t];
    fixed[t & 31] = 3;
    __syncthreads();
    out[t] = dynamic[blockDim.x - 1 - t] * fixed[t & 31];
}

__global__ void by_value(pair p, int *out, const pair *list) {
    int t = threadIdx.x;
    out[t] = t == 0 ? p.a : t == 1 ? (int)p.b : t == 2 ? p.c : (int)(list[t].a + list[t].b + list[t].c);
}

__device__ __noinline__ pair swap_pair(pair p, int add) {
    pair r = {(short)p.b, p.a + add, (char)(p.c + 1)};
    return r;
}

__global__ void struct_call(const pair *in, pair *out) {
    int t = threadIdx.x;
    out[t].a = 0;
    if (t % 2)
        out[t] = swap_pair(in[t], t);
    else
        out[t] = in[t];
}

__global__ void atomics(unsigned *u, int *s, unsigned long long *w, float *f, unsigned *old) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(u + 0, 1u);
    atomicMax(u + 1, (unsigned)t);
    atomicMin(s + 0, -t);
    atomicOr(u + 2, 1u << (t & 31));
    atomicXor(u + 3, (unsigned)t);
    atomicAnd(u + 4, ~(1u << (t & 7)));
    atomicInc(u + 5, 9u);
    atomicDec(u + 6, 9u);
    atomicAdd(w, 1ull << 32);
    atomicAdd(f, 0.5f);
    old[t] = atomicAdd(u + 7, 2u);
    atomicExch(u + 8, (unsigned)t);
    atomicCAS(u + 9, 0u, 77u);
}

__global__ void shared_atomics(unsigned *out) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 16], threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void out_of_bounds(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + n] = i; // the line in the fault's text
}

__global__ void misaligned(char *out) {
    *(int *)(out + 4 * threadIdx.x + 2) = 1;
}

__global__ void shared_overrun(int *out) {
    extern __shared__ int dynamic[];
    out[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void grid_3d(unsigned *out) {
    unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 10000 + t;
}

__global__ void tile_product(const int *a, const int *b, int *c) {
    __shared__ int tile_a[16][16], tile_b[16][16];
    tile_a[threadIdx.y][threadIdx.x] = a[threadIdx.y * 16 + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    c[threadIdx.y * 16 + threadIdx.x] = sum;
}

// Eight contiguous loads from a place of known alignment, and from one of unknown alignment.
__global__ void neighbours(const int *in, int *out, int from) {
    __shared__ int s[256];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 8; k++)
        s[t + 32 * k] = in[t + 32 * k];
    __syncthreads();
    const int *p = s + (from < 0 ? 8 * (t & 15) : 0);
    for (int k = 0; k < 8; k++)
        sum += p[k];
    __syncthreads();
    const int *q = s + t + from;
    for (int k = 0; k < 8; k++)
        sum -= 3 * q[k];
    out[t] = sum;
}
}
