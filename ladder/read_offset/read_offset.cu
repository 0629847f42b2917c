/* Misaligned reads: what does it cost that a warp's 128 bytes touch a fifth sector?
 *
 *   plain      out[i] = a[i + offset] + b[i + offset], one element per thread
 *   ldg        the same through the read-only path (ld.global.nc)
 *   l2-only    the same but not cached in L1 (ld.global.cg): no neighbour finds the shared sector in L1
 *   unroll2    two elements per thread, blockDim.x apart: more loads in flight
 *   unroll4    four (both: offset_unroll.cuh)
 *   realigned  aligned 16-byte loads; the elements are shifted into place in registers (realign.cuh)
 *
 * Traffic: 8 (n - offset) bytes read, 4 (n - offset) written.  A warp's load is 4 sectors at offsets that
 * are multiples of 8 elements, otherwise 5: efficiency 80 %.  At n = 2^20, offset 11: 65536 requests, 327676
 * sectors (the text's unroll4 skips its tail and therefore shows 327664).
 *
 * The plain rungs' inputs are not __restrict__, because that alone would make their loads ld.global.nc.
 */
#include "ladder/offset_unroll.cuh"
#include "ladder/realign.cuh"

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

/* a and b already include the offset here. */
extern "C" __global__ void WL_ANY_BLOCK wl_read_offset_realigned(float *out, const float *a, const float *b,
                                                                 uint64_t count, uint64_t head,
                                                                 uint64_t vectors, unsigned shift_a,
                                                                 unsigned shift_b, uint64_t first) {
    wl_add_realigned(out, a, b, count, head, vectors, shift_a, shift_b, first);
}

WL_OFFSET_UNROLLED(wl_read_offset, true)
