/* Copy: does a wider access, or more of them in flight, move memory faster?
 *
 *   scalar        4 bytes a thread
 *   vec2          8 bytes an access: half the instructions for the same bytes
 *   vec4          16 bytes an access, the widest there is
 *   vec4-unroll4  four such loads in flight before the first store: latency hidden by fewer threads
 *                 (copy_unroll.cu, as every --unroll of the three above)
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
