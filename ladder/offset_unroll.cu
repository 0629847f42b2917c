/* The plain kernels of read_offset.cu and write_offset.cu with WL_UNROLL elements a thread, blockDim.x apart:
 * more loads in flight.  Compiled once for each of both sides and unrolls 2, 4, 8, as WL_NAME; WL_READ says
 * whether the inputs are shifted (1) or the output (0).
 *
 * Traffic is the plain kernels'.  The inputs are not __restrict__, because that alone would make their loads
 * ld.global.nc.
 */
#include "lib/cuda/index.cuh"

/* The block's elements are whole or the block is the last: one test a block, so that the loads of a whole
 * block stand together. */
extern "C" __global__ void WL_ANY_BLOCK WL_NAME(float *out, const float *a, const float *b, uint64_t count,
                                                uint64_t offset, uint64_t first) {
    uint64_t block = wl_block_index(first, WL_UNROLL), i = block + threadIdx.x;
    uint64_t from = WL_READ ? i + offset : i, to = WL_READ ? i : i + offset;
    if (block + WL_UNROLL * blockDim.x <= count) {
        float x[WL_UNROLL], y[WL_UNROLL];
#pragma unroll
        for (unsigned j = 0; j < WL_UNROLL; j++) {
            x[j] = a[from + j * blockDim.x];
            y[j] = b[from + j * blockDim.x];
        }
#pragma unroll
        for (unsigned j = 0; j < WL_UNROLL; j++)
            out[to + j * blockDim.x] = x[j] + y[j];
        return;
    }
    for (unsigned j = 0; j < WL_UNROLL; j++, i += blockDim.x, from += blockDim.x, to += blockDim.x)
        if (i < count)
            out[to] = a[from] + b[from];
}
