/* Misaligned writes: the mirror image of read-offset.
 *
 *   plain      out[i + offset] = a[i] + b[i], one element per thread
 *   unroll2    two elements per thread, blockDim.x apart
 *   unroll4    four (both: offset_unroll.cuh)
 *   realigned  16-byte stores to aligned addresses: each thread computes an aligned vector of out; the
 *              inputs, now the shifted side, are also loaded aligned and are combined in registers
 *
 * Traffic: 8 (n - offset) bytes read, 4 (n - offset) written.  A warp's store is 4 sectors at offsets that
 * are multiples of 8 elements, otherwise 5, two of them partial: efficiency 80 %.  At n = 2^20,
 * offset 11: 32768 store requests, 163838 sectors; realigned writes each sector once.
 */
#include "ladder/offset_unroll.cuh"
#include "ladder/realign.cuh"

extern "C" __global__ void WL_ANY_BLOCK wl_write_offset_plain(float *out, const float *a, const float *b,
                                                              uint64_t count, uint64_t offset,
                                                              uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < count)
        out[i + offset] = a[i] + b[i];
}

/* out already includes the offset here. */
extern "C" __global__ void WL_ANY_BLOCK wl_write_offset_realigned(float *out, const float *a, const float *b,
                                                                  uint64_t count, uint64_t head,
                                                                  uint64_t vectors, unsigned shift_a,
                                                                  unsigned shift_b, uint64_t first) {
    wl_add_realigned(out, a, b, count, head, vectors, shift_a, shift_b, first);
}

WL_OFFSET_UNROLLED(wl_write_offset, false)
