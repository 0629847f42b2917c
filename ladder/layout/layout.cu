/* Array of structures or structure of arrays: x += 10, y += 20 over n pairs of f32.
 *
 *   aos       struct {x, y} loaded and stored member by member: each access uses every second word
 *   aos-vec2  one 8-byte access for the whole structure
 *   soa       two arrays: every access is dense
 *
 * Traffic: 8 n bytes read, 8 n written on every rung.  aos: a warp's 4-byte access spans 256 bytes, 8
 * sectors where 4 would suffice: 50 %.  aos-vec2: half the requests, 8 sectors each: 100 %.  soa: 4: 100 %.
 */
#include "lib/cuda/index.cuh"

/* A structure of two floats is only known to be 4-byte aligned, so the compiler cannot merge its two
 * accesses. */
extern "C" __global__ void WL_ANY_BLOCK wl_layout_aos(float *__restrict__ out, const float *__restrict__ in,
                                                      uint64_t n, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < n) {
        float x = in[2 * i], y = in[2 * i + 1];
        out[2 * i] = x + 10.0f;
        out[2 * i + 1] = y + 20.0f;
    }
}

/* Works on 2 n floats, with head of them (0 or 1) before the first 8-byte boundary: if head is 1, a vector
 * holds one structure's y and the next one's x. */
extern "C" __global__ void WL_ANY_BLOCK wl_layout_aos_vec2(float *__restrict__ out,
                                                           const float *__restrict__ in, uint64_t floats,
                                                           uint64_t head, uint64_t vectors, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < vectors) {
        float2 v = ((const float2 *)(in + head))[i];
        v.x += head & 1 ? 20.0f : 10.0f;
        v.y += head & 1 ? 10.0f : 20.0f;
        ((float2 *)(out + head))[i] = v;
    } else if (i - vectors < floats - 2 * vectors) {
        uint64_t e = wl_edge(i - vectors, head, 2 * vectors);
        out[e] = in[e] + (e & 1 ? 20.0f : 10.0f);
    }
}

extern "C" __global__ void WL_ANY_BLOCK wl_layout_soa(float *__restrict__ out_x, float *__restrict__ out_y,
                                                      const float *__restrict__ in_x,
                                                      const float *__restrict__ in_y, uint64_t n,
                                                      uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < n) {
        float x = in_x[i], y = in_y[i];
        out_x[i] = x + 10.0f;
        out_y[i] = y + 20.0f;
    }
}
