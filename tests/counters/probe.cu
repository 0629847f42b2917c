// The program that probe.csv beside this file was measured with, as it was compiled then: do not change it.
// clang-format off
// Small kernels that each show one rule of how NVIDIA hardware counts memory accesses.
// probe.csv beside this file holds what the hardware counters of an H200 (sm_90) said of every launch below.
// Build: nvcc -O3 -arch=sm_90 -lineinfo probe.cu -o probe     Run: ./probe     (each kernel is launched once)
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_=(x); if(e_!=cudaSuccess){printf("%s:%d %s\n",__FILE__,__LINE__,cudaGetErrorString(e_)); exit(1);} } while(0)

struct f3 { float x, y, z; };
struct f5 { float v[5]; };
__device__ inline unsigned char  mix(unsigned char  a) { return a + 1; }
__device__ inline unsigned short mix(unsigned short a) { return a + 1; }
__device__ inline unsigned       mix(unsigned a)       { return a + 1; }
__device__ inline uint2          mix(uint2 a)          { a.x += 1; a.y += 2; return a; }
__device__ inline uint4          mix(uint4 a)          { a.x += 1; a.y += 2; a.z += 3; a.w += 4; return a; }
__device__ inline f3             mix(f3 a)             { a.x += 1; a.y += 2; a.z += 3; return a; }
__device__ inline f5             mix(f5 a)             { for (int i = 0; i < 5; i++) a.v[i] += i; return a; }

// global loads: stride in elements, coalesced store
template <class T, int STRIDE> __global__ void load_stride(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(in[i * STRIDE]);
}
// global stores: stride in elements, coalesced load
template <class T, int STRIDE> __global__ void store_stride(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * STRIDE] = mix(in[i]);
}
// all lanes move by a number of elements
template <class T, int SHIFT> __global__ void load_shift(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(in[i + SHIFT]);
}
template <class T, int SHIFT> __global__ void store_shift(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + SHIFT] = mix(in[i]);
}
// lanes gather through an index array; lanes that do not take part
__global__ void load_gather(const unsigned *in, const unsigned *index, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(in[index[i]]);
}
template <int EVERY> __global__ void load_some_lanes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % EVERY == 0) out[i] = mix(in[i]);
}
__global__ void load_broadcast(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(in[i / 32 * 8]);
}
__global__ void load_reversed(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(in[(i / 32) * 32 + 31 - i % 32]);
}
// shared memory: stride in elements for stores and loads; T of 1..16 bytes
template <class T, int STRIDE> __global__ void shared_load_stride(T *out) {
    extern __shared__ uint4 raw[];
    T *s = (T *)raw;
    for (unsigned k = threadIdx.x; k < 32 * STRIDE; k += 32) *(volatile char *)(s + k) = (char)k;
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x * STRIDE];
}
template <class T, int STRIDE> __global__ void shared_store_stride(const T *in, T *out) {
    extern __shared__ uint4 raw[];
    T *s = (T *)raw;
    s[threadIdx.x * STRIDE] = in[blockIdx.x * 32 + threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) out[blockIdx.x] = s[(blockIdx.x % 32) * STRIDE];
}
__global__ void shared_gather(const unsigned *index, unsigned *out) {
    __shared__ unsigned s[1024];
    for (unsigned k = threadIdx.x; k < 1024; k += 32) s[k] = k;
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = s[index[blockIdx.x * 32 + threadIdx.x] % 1024];
}
__global__ void shared_gather16(const unsigned *index, uint4 *out) {
    __shared__ uint4 s[512];
    for (unsigned k = threadIdx.x; k < 512; k += 32) s[k] = make_uint4(k, k, k, k);
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = s[index[blockIdx.x * 32 + threadIdx.x] % 512];
}
__global__ void shared_gather8(const unsigned *index, uint2 *out) {
    __shared__ uint2 s[512];
    for (unsigned k = threadIdx.x; k < 512; k += 32) s[k] = make_uint2(k, k);
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = s[index[blockIdx.x * 32 + threadIdx.x] % 512];
}
// atomics
template <int MASK> __global__ void red_global(unsigned *out) { atomicAdd(out + (threadIdx.x & MASK), 1u); }
template <int MASK> __global__ void atom_global(unsigned *out, unsigned *old) { old[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(out + (threadIdx.x & MASK), 1u); }
template <int MASK> __global__ void atom_shared(unsigned *out) {
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(s + (threadIdx.x & MASK), 1u);
    __syncthreads();
    if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}
// local memory: an array indexed at run time
__global__ void local_array(const int *pick, int *out) {
    int a[64];
    for (int k = 0; k < 64; k++) a[k] = k * pick[k & 3];
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += a[(k * 7 + pick[threadIdx.x & 31]) & 63];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// divergence: two sides, each with its own loads; a loop whose trip count differs by lane
__global__ void diverge(const float *a, const float *b, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float r;
    if (i & 1) r = a[i] * 2.0f; else r = b[i * 2] + 1.0f;
    out[i] = r;
}
__global__ void ragged_loop(const int *in, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (unsigned k = 0; k < i % 32; k++) sum += in[i * 32 + k];
    out[i] = sum;
}
// read-only path and cache operators
__global__ void load_ldg(const float *in, float *out) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = __ldg(in + i + 3); }
__global__ void load_cg(const float *in, float *out) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = __ldcg(in + i + 3); }
__global__ void load_volatile(const volatile float *in, float *out) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i + 3]; }

template <class T> static void strides(void *in, void *out) {
    load_stride<T, 1><<<64, 128>>>((T *)in, (T *)out); load_stride<T, 2><<<64, 128>>>((T *)in, (T *)out);
    load_stride<T, 3><<<64, 128>>>((T *)in, (T *)out); load_stride<T, 8><<<64, 128>>>((T *)in, (T *)out);
    load_stride<T, 32><<<64, 128>>>((T *)in, (T *)out); load_stride<T, 33><<<64, 128>>>((T *)in, (T *)out);
    store_stride<T, 1><<<64, 128>>>((T *)in, (T *)out); store_stride<T, 2><<<64, 128>>>((T *)in, (T *)out);
    store_stride<T, 3><<<64, 128>>>((T *)in, (T *)out); store_stride<T, 32><<<64, 128>>>((T *)in, (T *)out);
    load_shift<T, 1><<<64, 128>>>((T *)in, (T *)out); load_shift<T, 11><<<64, 128>>>((T *)in, (T *)out);
    store_shift<T, 1><<<64, 128>>>((T *)in, (T *)out); store_shift<T, 11><<<64, 128>>>((T *)in, (T *)out);
    CK(cudaDeviceSynchronize());
}
template <class T> static void shareds(void *in, void *out) {
#define ONE(S) shared_load_stride<T, S><<<8, 32, 32 * S * sizeof(T)>>>((T *)out); shared_store_stride<T, S><<<8, 32, 32 * S * sizeof(T)>>>((T *)in, (T *)out);
    ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(8) ONE(16) ONE(17) ONE(32) ONE(33)
    CK(cudaDeviceSynchronize());
}
int main() {
    const size_t bytes = 64 << 20;
    char *in, *out; unsigned *index;
    CK(cudaMalloc(&in, bytes)); CK(cudaMalloc(&out, bytes)); CK(cudaMalloc(&index, 1 << 20));
    CK(cudaMemset(in, 1, bytes)); CK(cudaMemset(out, 0, bytes));
    std::vector<unsigned> h(1 << 18); unsigned x = 12345;
    for (auto &v : h) { x = x * 1664525u + 1013904223u; v = (x >> 8) % 100000u; }
    CK(cudaMemcpy(index, h.data(), 1 << 20, cudaMemcpyHostToDevice));
    strides<unsigned char>(in, out); strides<unsigned short>(in, out); strides<unsigned>(in, out);
    strides<uint2>(in, out); strides<uint4>(in, out); strides<f3>(in, out); strides<f5>(in, out);
    load_gather<<<64, 128>>>((unsigned *)in, index, (unsigned *)out);
    load_some_lanes<2><<<64, 128>>>((unsigned *)in, (unsigned *)out); load_some_lanes<3><<<64, 128>>>((unsigned *)in, (unsigned *)out);
    load_some_lanes<16><<<64, 128>>>((unsigned *)in, (unsigned *)out); load_some_lanes<64><<<64, 128>>>((unsigned *)in, (unsigned *)out);
    load_broadcast<<<64, 128>>>((unsigned *)in, (unsigned *)out); load_reversed<<<64, 128>>>((unsigned *)in, (unsigned *)out);
    load_stride<unsigned, 1><<<7, 100>>>((unsigned *)in, (unsigned *)out); load_stride<unsigned, 1><<<1, 1>>>((unsigned *)in, (unsigned *)out);
    shareds<unsigned char>(in, out); shareds<unsigned short>(in, out); shareds<unsigned>(in, out); shareds<uint2>(in, out); shareds<uint4>(in, out);
    shared_gather<<<64, 32>>>(index, (unsigned *)out); shared_gather8<<<64, 32>>>(index, (uint2 *)out); shared_gather16<<<64, 32>>>(index, (uint4 *)out);
    red_global<0><<<8, 128>>>((unsigned *)out); red_global<31><<<8, 128>>>((unsigned *)out); red_global<3><<<8, 128>>>((unsigned *)out);
    atom_global<0><<<8, 128>>>((unsigned *)out, (unsigned *)in); atom_global<31><<<8, 128>>>((unsigned *)out, (unsigned *)in);
    atom_shared<0><<<8, 128>>>((unsigned *)out); atom_shared<31><<<8, 128>>>((unsigned *)out); atom_shared<3><<<8, 128>>>((unsigned *)out);
    local_array<<<8, 128>>>((int *)index, (int *)out);
    diverge<<<64, 128>>>((float *)in, (float *)in, (float *)out); ragged_loop<<<64, 128>>>((int *)in, (int *)out);
    load_ldg<<<64, 128>>>((float *)in, (float *)out); load_cg<<<64, 128>>>((float *)in, (float *)out); load_volatile<<<64, 128>>>((float *)in, (float *)out);
    CK(cudaDeviceSynchronize()); puts("done"); return 0;
}
