/* Element-wise add: what do vectorised accesses bring, and what must shrink, the block or the grid?
 *
 *   scalar        c[i] = a[i] + b[i], 4 bytes an access
 *   vec4-block    16 bytes an access, a quarter of the threads taken from the block: with blocks of 32
 *                 threads a multiprocessor's limit on blocks keeps its occupancy low
 *   vec4-grid     the same kernel, a quarter of the threads taken from the grid: blocks stay large
 *   vec4-unroll2  two 16-byte loads of each array in flight a thread (add_unroll.cu)
 *
 * Traffic: 8 n bytes read, 4 n written.  At n = 2^20: scalar 65536 load requests of 4 sectors, vec4 16384
 * of 16; 262144 sectors either way.
 */
#include "lib/cuda/index.cuh"

static __device__ __forceinline__ float4 wl_add4(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void WL_ANY_BLOCK wl_add_scalar(float *__restrict__ c, const float *__restrict__ a,
                                                      const float *__restrict__ b, uint64_t n,
                                                      uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < n)
        c[i] = a[i] + b[i];
}

/* vec4-block and vec4-grid: they differ in the block that they are launched with. */
extern "C" __global__ void WL_ANY_BLOCK wl_add_vec4(float *__restrict__ c, const float *__restrict__ a,
                                                    const float *__restrict__ b, uint64_t n, uint64_t head,
                                                    uint64_t vectors, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < vectors) {
        ((float4 *)(c + head))[i] = wl_add4(((const float4 *)(a + head))[i], ((const float4 *)(b + head))[i]);
    } else if (i - vectors < n - 4 * vectors) {
        uint64_t e = wl_edge(i - vectors, head, 4 * vectors);
        c[e] = a[e] + b[e];
    }
}
