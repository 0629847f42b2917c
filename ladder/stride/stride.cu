/* Strided access: how much of the traffic is useful if elements are stride apart?
 *
 *   load   out[i] = in[i * stride]: the loads are spread, the stores dense
 *   store  out[i * stride] = in[i]: the mirror image
 *
 * Traffic, with m = ceil(n / stride) elements: 4 m bytes read, 4 m written.  A warp's spread access touches
 * min(4 stride, 32) sectors: 100 % at stride 1, 50 % at 2, and 12.5 % from stride 8 on.
 */
#include "lib/cuda/index.cuh"

extern "C" __global__ void WL_ANY_BLOCK wl_stride_load(uint32_t *__restrict__ out,
                                                       const uint32_t *__restrict__ in, uint64_t count,
                                                       uint64_t stride, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < count)
        out[i] = in[i * stride];
}

extern "C" __global__ void WL_ANY_BLOCK wl_stride_store(uint32_t *__restrict__ out,
                                                        const uint32_t *__restrict__ in, uint64_t count,
                                                        uint64_t stride, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < count)
        out[i * stride] = in[i];
}
