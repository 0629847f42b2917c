/* What the kernels share that copy rows into an array without gaps (copy_dense.cu, copy_seams.cu).
 *
 * The output is contiguous, so threads number its aligned 16-byte vectors, not those of each row: all are
 * stored whole, whatever rows they have bytes of, and no lane idles at a row's end.  A vector's bytes come
 * from a window of two aligned vectors of the input, shifted into place in registers (slots.cuh).  If a row
 * ends within the vector there is a seam: the next row's bytes come from a window of their own.
 *
 * Traffic: every byte is written once, in whole sectors except at the array's two ends.  It is read once, but
 * sectors at both ends of a row have other bytes: 31 for a row that begins and ends anywhere. */
#ifndef WIDELOAD_KERNELS_DENSE_CUH
#define WIDELOAD_KERNELS_DENSE_CUH

#include "lib/cuda/read_once.cuh"
#define WL_PART 1
#include "lib/cuda/slots.cuh"

#include "lib/copy/rows_parameters.h"

/* The place of a row. */
static __device__ __forceinline__ uint64_t wl_row_at(const struct wl_dense_rows &p, uint32_t row) {
    uint64_t at = p.from;
#pragma unroll
    for (unsigned i = 0; i < WL_ROWS_RANK; i++) {
        uint32_t index = row;
        if (i + 1 < p.rank)
            row = wl_divide(row, p.outer[i].size, &index);
        at += index * p.outer[i].from;
        if (i + 1 >= p.rank)
            break;
    }
    return at;
}

/* The mask of a vector's bytes before byte `end`. */
static __device__ __forceinline__ uint4 wl_bits_of(int end) {
    return make_uint4(wl_bits_before(end), wl_bits_before(end - 4), wl_bits_before(end - 8),
                      wl_bits_before(end - 12));
}

/* The bits of a that `before` has, and the others of b. */
static __device__ __forceinline__ uint4 wl_join(uint4 a, uint4 b, uint4 before) {
    return make_uint4((a.x & before.x) | (b.x & ~before.x), (a.y & before.y) | (b.y & ~before.y),
                      (a.z & before.z) | (b.z & ~before.z), (a.w & before.w) | (b.w & ~before.w));
}

#endif
