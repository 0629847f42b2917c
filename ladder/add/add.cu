/* Element-wise add: what do vectorised accesses bring, and which must shrink, the block or the grid?
 *
 *   scalar        c[i] = a[i] + b[i], 4 bytes per access
 *   vec4-block    16 bytes per access, with a quarter of the threads per block: with blocks of 32 threads
 *                 a multiprocessor's limit on blocks keeps its occupancy low
 *   vec4-grid     the same kernel, with a quarter of the blocks: blocks stay large
 *   vec4-unroll2  two 16-byte loads of each array in flight per thread
 *
 * Traffic: 8 n bytes read, 4 n written.  At n = 2^20: scalar 65536 load requests of 4 sectors, vec4 16384
 * of 16; 262144 sectors for both.
 */
#include "lib/cuda/index.cuh"

static __device__ __forceinline__ float4 wl_sum(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ __forceinline__ float wl_sum(float a, float b) {
    return a + b;
}

extern "C" __global__ void WL_ANY_BLOCK wl_add_scalar(float *__restrict__ c, const float *__restrict__ a,
                                                      const float *__restrict__ b, uint64_t n,
                                                      uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < n)
        c[i] = a[i] + b[i];
}

/* vec4-block and vec4-grid: they differ only in their launch's block size. */
extern "C" __global__ void WL_ANY_BLOCK wl_add_vec4(float *__restrict__ c, const float *__restrict__ a,
                                                    const float *__restrict__ b, uint64_t n, uint64_t head,
                                                    uint64_t vectors, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < vectors) {
        ((float4 *)(c + head))[i] = wl_sum(((const float4 *)(a + head))[i], ((const float4 *)(b + head))[i]);
    } else if (i - vectors < n - 4 * vectors) {
        uint64_t e = wl_edge(i - vectors, head, 4 * vectors);
        c[e] = a[e] + b[e];
    }
}

/* `unroll` accesses to each array per thread, blockDim.x apart.  The block's vectors are whole unless it is
 * among the last.  One test per block lets the compiler group the loads of a whole block.
 *
 * Eight vectors of 4 elements from both inputs need 64 registers, all that a thread in a block of 1024 can
 * have.  So some of those stores come before the last loads. */
template <typename word, unsigned unroll>
static __device__ __forceinline__ void wl_add_unrolled(float *__restrict__ c, const float *__restrict__ a,
                                                       const float *__restrict__ b, uint64_t n, uint64_t head,
                                                       uint64_t vectors, uint64_t first) {
    const unsigned width = sizeof(word) / sizeof(float);
    uint64_t block = wl_block_index(first, unroll);
    word *to = (word *)(c + head) + block + threadIdx.x;
    const word *x = (const word *)(a + head) + block + threadIdx.x;
    const word *y = (const word *)(b + head) + block + threadIdx.x;
    if (block + unroll * blockDim.x <= vectors) {
        word xs[unroll], ys[unroll];
#pragma unroll
        for (unsigned j = 0; j < unroll; j++) {
            xs[j] = x[j * blockDim.x];
            ys[j] = y[j * blockDim.x];
        }
#pragma unroll
        for (unsigned j = 0; j < unroll; j++)
            to[j * blockDim.x] = wl_sum(xs[j], ys[j]);
        return;
    }
    for (unsigned j = 0; j < unroll; j++) {
        uint64_t i = block + j * blockDim.x + threadIdx.x;
        if (i < vectors) {
            to[j * blockDim.x] = wl_sum(x[j * blockDim.x], y[j * blockDim.x]);
        } else if (i - vectors < n - width * vectors) {
            uint64_t e = wl_edge(i - vectors, head, width * vectors);
            c[e] = a[e] + b[e];
        }
    }
}

#define UNROLLED(name, word, unroll, block)                                                                  \
    extern "C" __global__ void block wl_add_##name##_unroll##unroll(                                         \
        float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, uint64_t n,         \
        uint64_t head, uint64_t vectors, uint64_t first) {                                                   \
        wl_add_unrolled<word, unroll>(c, a, b, n, head, vectors, first);                                     \
    }

UNROLLED(scalar, float, 2, WL_ANY_BLOCK)
UNROLLED(scalar, float, 4, WL_ANY_BLOCK)
UNROLLED(scalar, float, 8, WL_ANY_BLOCK)
UNROLLED(vec4, float4, 2, WL_ANY_BLOCK)
UNROLLED(vec4, float4, 4, WL_ANY_BLOCK_WIDE)
UNROLLED(vec4, float4, 8, WL_ANY_BLOCK_WIDE)
