/* The plain kernels of read_offset.cu and write_offset.cu with `unroll` elements per thread, blockDim.x
 * apart: more loads in flight.  `reads` selects whether the inputs are shifted, or the output.
 *
 * Traffic is that of the plain kernels.  The inputs are not __restrict__, because that alone would make
 * their loads ld.global.nc.
 */
#ifndef WIDELOAD_KERNELS_OFFSET_UNROLL_CUH
#define WIDELOAD_KERNELS_OFFSET_UNROLL_CUH

#include "lib/cuda/index.cuh"

/* The block's elements are whole unless it is the last.  One test per block lets the compiler group the loads
 * of a whole block. */
template <bool reads, unsigned unroll>
static __device__ __forceinline__ void wl_offset_unrolled(float *out, const float *a, const float *b,
                                                          uint64_t count, uint64_t offset, uint64_t first) {
    uint64_t block = wl_block_index(first, unroll), i = block + threadIdx.x;
    uint64_t from = reads ? i + offset : i, to = reads ? i : i + offset;
    if (block + unroll * blockDim.x <= count) {
        float x[unroll], y[unroll];
#pragma unroll
        for (unsigned j = 0; j < unroll; j++) {
            x[j] = a[from + j * blockDim.x];
            y[j] = b[from + j * blockDim.x];
        }
#pragma unroll
        for (unsigned j = 0; j < unroll; j++)
            out[to + j * blockDim.x] = x[j] + y[j];
        return;
    }
    for (unsigned j = 0; j < unroll; j++, i += blockDim.x, from += blockDim.x, to += blockDim.x)
        if (i < count)
            out[to] = a[from] + b[from];
}

/* Kernels for 2, 4 and 8 elements per thread. */
#define WL_OFFSET_UNROLLED(name, reads)                                                                      \
    WL_OFFSET_UNROLLED_BY(name, reads, 2)                                                                    \
    WL_OFFSET_UNROLLED_BY(name, reads, 4)                                                                    \
    WL_OFFSET_UNROLLED_BY(name, reads, 8)

#define WL_OFFSET_UNROLLED_BY(name, reads, unroll)                                                           \
    extern "C" __global__ void WL_ANY_BLOCK name##_unroll##unroll(                                           \
        float *out, const float *a, const float *b, uint64_t count, uint64_t offset, uint64_t first) {       \
        wl_offset_unrolled<reads, unroll>(out, a, b, count, offset, first);                                  \
    }

#endif
