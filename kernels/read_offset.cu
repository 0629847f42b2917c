/* Misaligned reads: what does it cost that a warp's 128 bytes straddle a fifth sector?
 *
 *   plain      out[i] = a[i + offset] + b[i + offset], one element a thread
 *   ldg        the same through the read-only path (ld.global.nc)
 *   l2-only    the same past L1 (ld.global.cg): no neighbour finds the straddled sector in L1
 *   unroll2    two elements a thread, blockDim.x apart: more loads in flight
 *   unroll4    four
 *   realigned  aligned 16-byte loads, the elements shifted into place in registers (realign.cuh)
 *
 * Traffic: 8 (n - offset) bytes read, 4 (n - offset) written.  A warp's load is 4 sectors at offsets that
 * are multiples of 8 elements, else 5: efficiency 80 %.  At n = 2^20, offset 11: 65536 requests, 327676
 * sectors (the text's unroll4 skips its tail and so shows 327664).
 *
 * The plain rungs' inputs are not __restrict__, because that alone would make their loads ld.global.nc.
 */
#include "realign.cuh"

extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_plain(float *out, const float *a, const float *b,
                                                             uint64_t count, uint64_t offset,
                                                             uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < count)
        out[i] = a[i + offset] + b[i + offset];
}

extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_ldg(float *out, const float *a, const float *b,
                                                           uint64_t count, uint64_t offset, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < count)
        out[i] = __ldg(a + i + offset) + __ldg(b + i + offset);
}

extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_l2_only(float *out, const float *a, const float *b,
                                                               uint64_t count, uint64_t offset,
                                                               uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < count)
        out[i] = __ldcg(a + i + offset) + __ldcg(b + i + offset);
}

/* The block's elements are whole or the block is the last: one test a block, so that the loads of a whole
 * block stand together. */
extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_unroll2(float *out, const float *a, const float *b,
                                                               uint64_t count, uint64_t offset,
                                                               uint64_t first) {
    uint64_t block = wl_block_index(first, 2), i = block + threadIdx.x, k = i + offset;
    if (block + 2 * blockDim.x <= count) {
        float x0 = a[k], x1 = a[k + blockDim.x];
        float y0 = b[k], y1 = b[k + blockDim.x];
        out[i] = x0 + y0;
        out[i + blockDim.x] = x1 + y1;
        return;
    }
    for (unsigned j = 0; j < 2; j++, i += blockDim.x, k += blockDim.x)
        if (i < count)
            out[i] = a[k] + b[k];
}

extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_unroll4(float *out, const float *a, const float *b,
                                                               uint64_t count, uint64_t offset,
                                                               uint64_t first) {
    uint64_t block = wl_block_index(first, 4), i = block + threadIdx.x, k = i + offset;
    if (block + 4 * blockDim.x <= count) {
        float x[4], y[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            x[j] = a[k + j * blockDim.x];
            y[j] = b[k + j * blockDim.x];
        }
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            out[i + j * blockDim.x] = x[j] + y[j];
        return;
    }
    for (unsigned j = 0; j < 4; j++, i += blockDim.x, k += blockDim.x)
        if (i < count)
            out[i] = a[k] + b[k];
}

/* a and b are already shifted by the offset here. */
extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_realigned(float *out, const float *a, const float *b,
                                                                 uint64_t count, uint64_t head,
                                                                 uint64_t vectors, unsigned shift_a,
                                                                 unsigned shift_b, uint64_t first) {
    wl_add_realigned(out, a, b, count, head, vectors, shift_a, shift_b, first);
}
