// C++ in kernels: nvcc's output for classes, for cooperative groups, for asynchronous
// copies, and for unusual blocks and warps.  Each kernel's result is easy to compute on the host.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>

namespace cg = cooperative_groups;

struct shape {
    int side;
    __device__ explicit shape(int s) : side(s) {}
    __device__ virtual int area(int k) const {
        return side + k;
    }
};
struct square : shape {
    __device__ explicit square(int s) : shape(s) {}
    __device__ int area(int k) const override {
        return side * side + k;
    }
};
struct box : shape {
    int height;
    __device__ box(int s, int h) : shape(s), height(h) {}
    __device__ int area(int k) const override {
        return side * height - k;
    }
};

struct large {
    int v[7];
    double d;
    char c;
};

__device__ __noinline__ large make_large(int t) {
    large r;
    for (int k = 0; k < 7; k++)
        r.v[k] = t * k;
    r.d = t * 0.5;
    r.c = (char)t;
    return r;
}
__device__ __noinline__ int use_large(large r, int k) {
    return r.v[k] + (int)r.d + r.c;
}

__device__ __noinline__ int neighbour(int v) {
    static __shared__ int s[64];
    s[threadIdx.x] = v;
    __syncthreads();
    int n = s[(threadIdx.x + 1) % 64];
    __syncthreads();
    return n;
}

template <class F> __device__ int apply(F f, int v) {
    return f(v);
}

extern "C" {

__global__ void virtual_functions(int *out) {
    int t = threadIdx.x;
    shape a(t);
    square b(t + 1);
    box c(t + 2, 3);
    const shape *p = t % 3 == 0 ? &a : t % 3 == 1 ? (const shape *)&b : (const shape *)&c;
    out[t] = p->area(t);
}

__global__ void struct_returns(int *out) {
    int t = threadIdx.x;
    large r = make_large(t);
    out[t] = use_large(r, t % 7);
}

__global__ void static_shared_a(int *out) {
    out[threadIdx.x] = neighbour(threadIdx.x * 3);
}
__global__ void static_shared_b(int *out) {
    __shared__ int own[5];
    if (threadIdx.x < 5)
        own[threadIdx.x] = threadIdx.x * 100;
    out[threadIdx.x] = neighbour(threadIdx.x * 5) + own[threadIdx.x % 5];
}

__global__ void switch_64(const long long *in, int *out) {
    int t = threadIdx.x, r;
    switch (in[t]) {
    case 0:
        r = 3;
        break;
    case 1:
        r = t;
        break;
    case 2:
        r = t * t;
        break;
    case 3:
        r = t + 100;
        break;
    case 4:
        r = t / 3;
        break;
    case 5: // falls through
    case 6:
        r = t ^ 7;
        break;
    case 10000000000ll:
        r = 5;
        break;
    case -7:
        r = 6;
        break;
    default:
        r = -1;
    }
    out[t] = r;
}

__global__ void nested_loops(const int *in, int *out, int n) {
    int t = threadIdx.x + blockIdx.x * blockDim.x, sum = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] == t % 7)
            continue;
        for (int j = 0; j < in[i]; j++) {
            if (j * i > 20 + t)
                break;
            if (in[j] == 6 && t % 5 == 0) {
                out[t] = -sum;
                return;
            }
            sum += in[j] * j;
            int rounds = 3 + i;
            do {
                sum ^= i;
                if (sum & 8)
                    goto next;
                sum += 3;
            } while ((sum & 4) && --rounds);
        }
    next:
        sum++;
    }
    out[t] = sum;
}

__global__ void warp_sums(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int sum = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 16; d; d /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0)
            atomicAdd(out, sum);
    }
}

__global__ void tiles(int *out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    int v = (int)block.thread_rank();
    out[v] = cg::reduce(eight, v, cg::plus<int>());
    out[v + 64] = cg::inclusive_scan(eight, v);
    out[v + 128] = eight.shfl(v, 2) + eight.shfl_down(v, 1);
    out[v + 192] = (int)eight.ballot(v & 1) + 1000 * (int)eight.meta_group_rank();
    out[v + 256] = (int)cg::reduce(warp, (double)v, cg::greater<double>());
}

__global__ void coalesced(int *out) {
    int v = threadIdx.x;
    out[v] = -1;
    if (v % 3 == 1) {
        auto group = cg::coalesced_threads();
        out[v] = (int)group.thread_rank() + 100 * (int)group.size() + 10000 * group.shfl(v, 0);
        out[v + 32] = cg::reduce(group, v, cg::plus<int>());
        group.sync();
    }
}

__global__ void async_copies(const int4 *in, int4 *out) {
#if __CUDA_ARCH__ >= 800
    __shared__ int4 s[64];
    int t = threadIdx.x;
    s[t] = make_int4(-1, -2, -3, -4);
    s[t + 32] = make_int4(-1, -2, -3, -4);
    unsigned at = (unsigned)__cvta_generic_to_shared(s + t);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + t), "r"(t % 17));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at + 512), "l"(in + t));
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8;" ::"r"(at + 520), "l"(in + t));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
    __syncthreads();
    out[t] = s[t];
    out[t + 32] = s[t + 32];
#endif
}

__global__ void spaces(const int *in, int *out) {
    __shared__ int s;
    int l = in[0];
    int *volatile pl = &l;
    int p;
    asm("{.reg .pred p; isspacep.local p, %1; selp.b32 %0, 1, 0, p;}" : "=r"(p) : "l"(pl));
    out[0] = p;
    asm("{.reg .pred p; isspacep.shared p, %1; selp.b32 %0, 1, 0, p;}" : "=r"(p) : "l"(pl));
    out[1] = p;
    asm("{.reg .pred p; isspacep.shared p, %1; selp.b32 %0, 1, 0, p;}" : "=r"(p) : "l"(&s));
    out[2] = p;
    asm("{.reg .pred p; isspacep.global p, %1; selp.b32 %0, 1, 0, p;}" : "=r"(p) : "l"(in));
    out[3] = p;
    unsigned long long back;
    asm("{.reg .u64 q; cvta.to.shared.u64 q, %1; cvta.shared.u64 %0, q;}" : "=l"(back) : "l"(&s));
    out[4] = back == (unsigned long long)&s;
}

__global__ void narrow(const unsigned char *in, unsigned char *out, unsigned long long *wide) {
    int t = threadIdx.x;
    unsigned long long a, b;
    asm volatile("ld.global.u8 %0, [%1];" : "=l"(a) : "l"(in + t));
    asm volatile("ld.global.s8 %0, [%1];" : "=l"(b) : "l"(in + t));
    wide[2 * t] = a;
    wide[2 * t + 1] = b;
    unsigned short x, y;
    asm volatile("ld.global.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(in + 2 * t));
    asm volatile("st.global.v2.u8 [%0], {%2, %1};" ::"l"(out + 2 * t), "h"(x), "h"(y));
    unsigned p, q, r, s;
    asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];"
                 : "=r"(p), "=r"(q), "=r"(r), "=r"(s)
                 : "l"(in + 4 * t));
    asm volatile("st.global.v4.b8 [%0], {%4, %3, %2, %1};" ::"l"(out + 64 + 4 * t), "r"(p), "r"(q), "r"(r),
                 "r"(s + 256));
}

__global__ void predicated(const int *in, int *out) {
    int t = threadIdx.x;
    asm volatile("{.reg .pred p;\n"
                 " setp.gt.s32 p, %1, 3;\n"
                 " @p st.global.u32 [%0], %1;\n"
                 " @!p st.global.u32 [%0+4], %1;}" ::"l"(out + 2 * t),
                 "r"(in[t]));
}

__global__ void carries(const unsigned *a, const unsigned *b, unsigned *sum, unsigned *difference) {
    int t = threadIdx.x;
    a += 4 * t, b += 4 * t, sum += 4 * t, difference += 4 * t;
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
        : "=r"(difference[0]), "=r"(difference[1]), "=r"(difference[2]), "=r"(difference[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

__global__ void early_warps(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= 64)
        return; // the barrier no longer waits for these warps
    if (t % 32 == 5)
        return; // nor for these threads
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t] + __syncthreads_count(1);
}

__global__ void partial_warp(int *out) {
    int t = threadIdx.x;
    unsigned mask = __activemask();
    int v = t * 2;
    v += __shfl_down_sync(mask, v, 1);
    out[t] = v + 1000 * __popc(__ballot_sync(mask, 1));
}

__global__ void much_shared(int *out) {
    extern __shared__ int dynamic[];
    int n = 100 * 1024 / 4;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        dynamic[i] = i;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += dynamic[n - 1 - i];
    out[threadIdx.x] = sum;
}

__global__ void straddle(int *out) {
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int total = blockDim.x * blockDim.y * blockDim.z, last = total - 1;
    unsigned mask = total - t / 32 * 32 >= 32 ? 0xffffffffu : (1u << total % 32) - 1;
    int code = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
    int from = t / 32 * 32 + 31 - t % 32;
    int got = __shfl_sync(mask, code, 31 - t % 32);
    out[t] = from > last ? code : got;
}

__global__ void lambdas(int *out, int k) {
    int t = threadIdx.x;
    out[t] = apply([=](int v) { return v * k + t; }, t) + apply([](int v) { return v - 1; }, t);
}

__global__ void bit_fields(const unsigned *in, int *out) {
    struct {
        int a : 3;
        unsigned b : 7;
        long long c : 40;
    } f;
    union {
        float f;
        unsigned i;
        unsigned char b[4];
    } u;
    int t = threadIdx.x;
    f.a = (int)in[t];
    f.b = in[t];
    f.c = (long long)in[t] << 9;
    u.f = (float)t;
    u.b[t & 3] ^= 0x7f;
    out[t] = f.a + (int)f.b + (int)(f.c >> 20) + (int)(u.i >> 8);
}

__global__ void any_address(char *bytes, int n) {
    char local[40];
    for (int i = 0; i < n; i++)
        local[i] = bytes[i];
    memcpy(bytes + 40, local + 1, 30);
    memset(bytes + 80, threadIdx.x + 7, n);
}
}

// Hints about caches without an effect here: policies, hints, prefetches, register counts.
extern "C" __global__ void cache_policies(int *data, int n) {
    int i = threadIdx.x, old, value;
    unsigned long long policy, range;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 128, 256;"
                 : "=l"(range)
                 : "l"(data));
    asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(value) : "l"(data + i), "l"(policy));
    asm volatile("st.global.L2::cache_hint.s32 [%0], %1, %2;"
                 :
                 : "l"(data + n + i), "r"(value + 1), "l"(range)
                 : "memory");
    asm volatile("atom.global.add.L2::cache_hint.s32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(data + i), "r"(10), "l"(policy)
                 : "memory");
    asm volatile("red.global.add.L2::cache_hint.s32 [%0], %1, %2;"
                 :
                 : "l"(data + i), "r"(100), "l"(policy)
                 : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 128;" : : "l"(data));
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    data[2 * n + i] = old;
}
