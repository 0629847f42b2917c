/* Structures of 32 equal fields of 4, 8 or 16 bytes (wl_element) -> 32 streams that begin at sectors.
 *
 * This does what interleave.cu does, for the number of fields that matrices most often have.  The compiler
 * knows all of it: a block takes half a microsecond less to begin, 0.7 % of 128 MB.
 *
 * Fields of 16 bytes go in two parts: a block moves 16 fields of its structures, and all blocks of one part
 * come before all of the other.  Written data stays in the L2 for about 28 MB before it goes to memory, which
 * is slower the more streams it belongs to (docs/notes/interleave.md).  Parts gain 0.4 to 1.2 % of 512 MB.
 * Parts of 256 bytes are read as fast as whole structures.  Parts of 128 bytes, as for 8-byte fields, are
 * slower, and lose more than that gains.
 *
 * Banks: shared memory has an empty vector after those of 16 / WL_WIDTH structures, so that 8 vectors of a
 * stream come from different banks.  Those of 16 lanes take two wavefronts if an access is under 16 bytes.
 *
 * Traffic: every byte is read once and written once, every sector whole.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"
#include "lib/cuda/read_once.cuh"

#include "lib/fields/deinterleave_32.h"

#define WL_WIDTH      ((int)sizeof(wl_element))
#define WL_EACH       (16 / WL_WIDTH) /* elements per vector */
#define WL_PART       WL_32_PART(WL_WIDTH)
#define WL_STRUCTURES (WL_32_PIECE / WL_WIDTH)
/* 16-byte vectors of a piece of a stream, of a part of a structure, and of a whole structure. */
#define WL_PIECE (WL_32_PIECE / 16)
#define WL_ROW   (WL_PART * WL_WIDTH / 16)
#define WL_PITCH (WL_32_STREAMS * WL_WIDTH / 16)
#define WL_LOADS (WL_PART * WL_PIECE / WL_32_THREADS(WL_WIDTH))

/* A thread's vectors: those of a warp are contiguous. */
template <typename wl_element> static __device__ __forceinline__ unsigned wl_vector_of(unsigned u) {
    return (threadIdx.x / 32 * WL_LOADS + u) * 32 + threadIdx.x % 32;
}

template <typename wl_element>
static __device__ __forceinline__ void wl_deinterleave(const struct wl_32_shape &shape, uint64_t index) {
    __shared__ uint4 wl_shared[(WL_PART + 1) * WL_PIECE];
    uint64_t batch = 0;
    unsigned field = 0;
    if (index >= shape.chunks) {
        batch = wl_divide(index, shape.chunks);
        index -= batch * shape.chunks;
        field = (unsigned)(batch % (WL_32_STREAMS / WL_PART)) * WL_PART;
        batch /= WL_32_STREAMS / WL_PART;
    }
    const uint64_t start = index * WL_STRUCTURES;
    const unsigned count = (unsigned)min(shape.n - start, (uint64_t)WL_STRUCTURES);
    const uint4 *from =
        (const uint4 *)wl_global(shape.packed + batch * shape.packed_stride + field * WL_WIDTH) +
        start * WL_PITCH;

    uint4 moved[WL_LOADS];
#pragma unroll
    for (unsigned u = 0; u < WL_LOADS; u++) {
        unsigned q = wl_vector_of<wl_element>(u), structure = q / WL_ROW;
        if (structure < count)
            moved[u] = *wl_once(from + structure * WL_PITCH + q % WL_ROW);
    }
#pragma unroll
    for (unsigned u = 0; u < WL_LOADS; u++) {
        unsigned q = wl_vector_of<wl_element>(u);
        wl_shared[q + q / WL_PART] = moved[u];
    }
    __syncthreads();

    const uint64_t streams =
        shape.stream + batch * shape.stream_batch + field * shape.stream_bytes + start * WL_WIDTH;
#pragma unroll
    for (unsigned u = 0; u < WL_LOADS; u++) {
        unsigned q = wl_vector_of<wl_element>(u), f = q / WL_PIECE, vector = q % WL_PIECE;
        union {
            uint4 vector;
            wl_element element[WL_EACH];
        } out;
        const wl_element *picked = (const wl_element *)(wl_shared + vector * (WL_PART + 1)) + f;
#pragma unroll
        for (unsigned e = 0; e < WL_EACH; e++)
            out.element[e] = picked[e * WL_PART];
        if ((vector + 1) * WL_EACH <= count)
            ((uint4 *)wl_global(streams + f * shape.stream_bytes))[vector] = out.vector;
    }
    /* The ends of the streams. */
    const unsigned rest = count % WL_EACH, f = threadIdx.x / WL_EACH,
                   i = count - rest + threadIdx.x % WL_EACH;
    if (WL_EACH > 1 && i < count && f < WL_PART)
        ((wl_element *)wl_global(streams + f * shape.stream_bytes))[i] =
            ((const wl_element *)(wl_shared + i / WL_EACH * (WL_PART + 1)))[i % WL_EACH * WL_PART + f];
}

#define WL_32_KERNEL(name, element)                                                                          \
    extern "C" __global__ void __launch_bounds__(WL_32_THREADS(sizeof(element)))                             \
        name(const __grid_constant__ struct wl_32_shape shape, uint64_t first) {                             \
        wl_await_earlier();                                                                                  \
        wl_deinterleave<element>(shape, first + blockIdx.x);                                                 \
    }

WL_32_KERNEL(wl_deinterleave4_32, uint32_t)
WL_32_KERNEL(wl_deinterleave8_32, uint2)
WL_32_KERNEL(wl_deinterleave16_32, uint4)
