/* Copy: does a wider access, or more of them in flight, move memory faster?
 *
 *   scalar        4 bytes per thread
 *   vec2          8 bytes per access: half the instructions for the same bytes
 *   vec4          16 bytes per access, the widest available
 *   vec4-unroll4  four such loads in flight before the first store: fewer threads hide the latency
 *                 (--unroll gives 2, 4 and 8 for each of the three above)
 *   (driver       the driver's own copy: no kernel of ours)
 *
 * Traffic: 4 n bytes read, 4 n written.  A warp's request is 128 bytes (4 sectors), 256 (8) or 512 (16):
 * sectors are the same on every rung, requests fall to a half and a quarter.
 * Elements are moved bit for bit, so they are integers here.
 */
#include "lib/cuda/index.cuh"

extern "C" __global__ void WL_ANY_BLOCK wl_copy_scalar(uint32_t *__restrict__ out,
                                                       const uint32_t *__restrict__ in, uint64_t n,
                                                       uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void WL_ANY_BLOCK wl_copy_vec2(uint32_t *__restrict__ out,
                                                     const uint32_t *__restrict__ in, uint64_t n,
                                                     uint64_t head, uint64_t vectors, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < vectors) {
        ((uint2 *)(out + head))[i] = ((const uint2 *)(in + head))[i];
    } else if (i - vectors < n - 2 * vectors) {
        uint64_t e = wl_edge(i - vectors, head, 2 * vectors);
        out[e] = in[e];
    }
}

extern "C" __global__ void WL_ANY_BLOCK wl_copy_vec4(uint32_t *__restrict__ out,
                                                     const uint32_t *__restrict__ in, uint64_t n,
                                                     uint64_t head, uint64_t vectors, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < vectors) {
        ((uint4 *)(out + head))[i] = ((const uint4 *)(in + head))[i];
    } else if (i - vectors < n - 4 * vectors) {
        uint64_t e = wl_edge(i - vectors, head, 4 * vectors);
        out[e] = in[e];
    }
}

/* `unroll` accesses per thread, blockDim.x apart: all of a thread's loads are in flight before its first
 * store.  The block's vectors are whole unless it is among the last.  One test per block lets the compiler
 * group the loads of a whole block. */
template <typename word, unsigned unroll>
static __device__ __forceinline__ void wl_copy_unrolled(uint32_t *__restrict__ out,
                                                        const uint32_t *__restrict__ in, uint64_t n,
                                                        uint64_t head, uint64_t vectors, uint64_t first) {
    const unsigned width = sizeof(word) / sizeof(uint32_t);
    uint64_t block = wl_block_index(first, unroll);
    word *to = (word *)(out + head) + block + threadIdx.x;
    const word *from = (const word *)(in + head) + block + threadIdx.x;
    if (block + unroll * blockDim.x <= vectors) {
        word moved[unroll];
#pragma unroll
        for (unsigned j = 0; j < unroll; j++)
            moved[j] = from[j * blockDim.x];
#pragma unroll
        for (unsigned j = 0; j < unroll; j++)
            to[j * blockDim.x] = moved[j];
        return;
    }
    for (unsigned j = 0; j < unroll; j++) {
        uint64_t i = block + j * blockDim.x + threadIdx.x;
        if (i < vectors) {
            to[j * blockDim.x] = from[j * blockDim.x];
        } else if (i - vectors < n - width * vectors) {
            uint64_t e = wl_edge(i - vectors, head, width * vectors);
            out[e] = in[e];
        }
    }
}

#define UNROLLED(name, word, unroll, block)                                                                  \
    extern "C" __global__ void block wl_copy_##name##_unroll##unroll(                                        \
        uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t n, uint64_t head,              \
        uint64_t vectors, uint64_t first) {                                                                  \
        wl_copy_unrolled<word, unroll>(out, in, n, head, vectors, first);                                    \
    }

UNROLLED(scalar, uint32_t, 2, WL_ANY_BLOCK)
UNROLLED(scalar, uint32_t, 4, WL_ANY_BLOCK)
UNROLLED(scalar, uint32_t, 8, WL_ANY_BLOCK)
UNROLLED(vec2, uint2, 2, WL_ANY_BLOCK)
UNROLLED(vec2, uint2, 4, WL_ANY_BLOCK)
UNROLLED(vec2, uint2, 8, WL_ANY_BLOCK)
UNROLLED(vec4, uint4, 2, WL_ANY_BLOCK)
UNROLLED(vec4, uint4, 4, WL_ANY_BLOCK)
UNROLLED(vec4, uint4, 8, WL_ANY_BLOCK_WIDE)
