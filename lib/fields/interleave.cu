/* Structures of k equal fields <-> k streams: wl_deinterleave, wl_interleave, and the transposes of matrices
 * with few columns or few rows.  Compiled for each WL_WIDTH (1, 2, 4, 8, 16 bytes per field); WL_SHIFTED: for
 * an even number of fields where not everything is aligned.
 *
 * Both sides are contiguous.  A block moves a chunk of structures through shared memory, which holds them as
 * memory does.  The side of the structures is moved by 16-byte vectors in order, mirrored to the byte,
 * whatever its alignment.  The side of the streams is moved by 16-byte vectors of one stream each, which have
 * 16 / WL_WIDTH structures; their elements are gathered from (scattered to) shared memory.
 *
 * Vectors of streams belong to blocks by their aligned addresses.  If a stream begins `skew` elements past
 * such an address, its part of a chunk begins that many structures before the chunk.  So no two blocks write
 * one sector of a stream, and only the vectors at the ends of the array are split.
 *
 * Lanes: a half-warp takes consecutive vectors of a stream, so that it writes 256 contiguous bytes (128 bytes
 * cost 3 to 5 % on an H200); the other half takes those of the next stream.
 *
 * Banks: the elements that lanes move at once lie a multiple of k vectors apart: for odd k eight lanes have
 * no conflict.  For even k shared memory has an empty vector after every k.  If everything is aligned, a
 * stream's vectors then lie k + 1 vectors apart; else (WL_SHIFTED) each element's place says how many empty
 * vectors come before it.
 * Eight lanes have every fourth bank then.  A warp's halves conflict if their streams begin a multiple of
 * four words of structures apart: so narrow elements' halves then take fields that lie a word apart.
 *
 * Traffic: every byte is read once and written once.  With a skew the previous block also reads a chunk's
 * first structures, from L2: at most 32 / WL_WIDTH - 1 structures per chunk.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/fields/interleave.cuh"

extern "C" __global__ void __launch_bounds__(WL_INTERLEAVE_THREADS_MANY)
    WL_ENTRY(deinterleave)(const __grid_constant__ struct wl_interleave_shape shape, uint64_t first) {
    wl_await_earlier();
    extern __shared__ uint4 wl_shared[];
    uint8_t *shared = (uint8_t *)wl_shared;
    const struct wl_chunk chunk = wl_chunk_find(&shape, first + blockIdx.x);
    const unsigned row = shape.fields * WL_WIDTH;
    const uint64_t low = chunk.start > shape.slack ? chunk.start - shape.slack : 0;
    const uint64_t high = min(chunk.start + shape.structures, shape.n);
    const int count = (int)(high - low);
    const uint64_t begin = chunk.packed + low * row;
    const unsigned misfit = (unsigned)begin & 15, end = misfit + (unsigned)count * row;
    const uint8_t *from = wl_global(begin - misfit);
    /* Only the array's first and last vectors may reach out of the array; the chunk before the last may have
     * the last one too. */
    const unsigned vectors = (end + 15) >> 4;
    const unsigned whole_begin = low == 0 && misfit;
    const unsigned whole_end = vectors - (16 * vectors - end > (shape.n - high) * row);

    for (unsigned q0 = threadIdx.x; q0 < whole_end; q0 += WL_LOADS * blockDim.x) {
        uint4 moved[WL_LOADS];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned q = q0 + u * blockDim.x;
            if (q >= whole_begin && q < whole_end)
                moved[u] = *wl_once((const uint4 *)from + q);
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned q = q0 + u * blockDim.x;
            if (q >= whole_begin && q < whole_end)
                *(uint4 *)(shared + wl_vector_place(&shape, q)) = moved[u];
        }
    }
    if (threadIdx.x < 32) {
        unsigned q = threadIdx.x < 16 ? 0 : vectors - 1, at = 16 * q + threadIdx.x % 16;
        if ((q < whole_begin || q >= whole_end) && at >= misfit && at < end && at % WL_WIDTH == 0)
            *(wl_element *)(shared + wl_vector_place(&shape, q) + threadIdx.x % 16) =
                *(const wl_element *)(from + at);
    }
    __syncthreads();

    const int lead = (int)(chunk.start - low);
#if WL_PAIRS
    const unsigned pairs = shape.fields % 2 == 0 ? shape.vectors / 2 : 0;
#pragma unroll 1
    for (unsigned v = threadIdx.x; v < pairs; v += blockDim.x) {
        /* An even number of fields comes here only if nothing is skewed. */
        struct wl_place place = wl_place_find_pair(&shape, v);
        uint64_t i = place.vector * WL_EACH;
        if (i + WL_EACH <= (unsigned)count) {
            struct wl_pair pair = wl_gather_pair(&shape, shared, wl_place_base(&shape, place, 0, 0));
            uint64_t shift = chunk.stream_shift + (low + i) * WL_WIDTH;
            *(uint4 *)wl_global(shape.streams[place.field] + shift) = pair.even;
            *(uint4 *)wl_global(shape.streams[place.field + 1] + shift) = pair.odd;
        }
    }
#else
    const unsigned pairs = 0;
#endif
#pragma unroll 1
    for (unsigned v = pairs ? shape.vectors : threadIdx.x; v < shape.vectors; v += blockDim.x) {
        struct wl_place place = wl_place_find(&shape, v);
        uint64_t stream = shape.streams[place.field] + chunk.stream_shift;
        int skew = ((unsigned)stream & 31) / WL_WIDTH;
        int i = (int)(place.vector * WL_EACH) + lead - skew;
        if (i >= 0 && i + WL_EACH <= count)
            *(uint4 *)wl_global(stream + (low + (uint64_t)i) * WL_WIDTH) = WL_GATHER(
                &shape, shared, wl_place_base(&shape, place, misfit, lead - skew), place.vector & 8);
    }
    if (low != 0 && high != shape.n)
        return;
        /* The ends of the streams: vectors that hold elements before the first or after the last. */
#pragma unroll 1
    for (unsigned v = threadIdx.x; v < shape.vectors; v += blockDim.x) {
        struct wl_place place = wl_place_find(&shape, v);
        uint64_t stream = shape.streams[place.field] + chunk.stream_shift;
        int skew = ((unsigned)stream & 31) / WL_WIDTH;
        int i = (int)(place.vector * WL_EACH) + lead - skew;
        if (i >= 0 && i + WL_EACH <= count)
            continue;
        unsigned at = wl_place_base(&shape, place, misfit, lead - skew);
        wl_element *to = (wl_element *)wl_global(stream + low * WL_WIDTH);
#pragma unroll 1
        for (int e = 0; e < WL_EACH; e++)
            if (i + e >= 0 && i + e < count)
                to[i + e] = *(const wl_element *)(shared + wl_element_place(&shape, at, (unsigned)e));
    }
}

/* 1-byte elements never have many threads: the compiler's code for the rotated order with 256 of them takes
 * 20 % longer. */
#if WL_SCATTER_PAIRS
#define WL_TOGETHER_THREADS WL_INTERLEAVE_THREADS
#else
#define WL_TOGETHER_THREADS WL_INTERLEAVE_THREADS_MANY
#endif

extern "C" __global__ void __launch_bounds__(WL_TOGETHER_THREADS)
    WL_ENTRY(interleave)(const __grid_constant__ struct wl_interleave_shape shape, uint64_t first) {
    wl_await_earlier();
    extern __shared__ uint4 wl_shared[];
    uint8_t *shared = (uint8_t *)wl_shared;
    const struct wl_chunk chunk = wl_chunk_find(&shape, first + blockIdx.x);
    const unsigned row = shape.fields * WL_WIDTH;
    const uint64_t high = min(chunk.start + shape.structures, shape.n);
    const int count = (int)(high - chunk.start);
    const uint64_t begin = chunk.packed + chunk.start * row;
    const unsigned misfit = (unsigned)begin & 15;
    /* Vectors are scattered whole, with elements of structures up to `slack` before and after the chunk's.
     * They are loaded if the streams have all of them. */
    const int loaded_begin = chunk.start ? -(int)shape.slack : 0;
    const int loaded_end = count + (int)min((uint64_t)shape.slack, shape.n - high);

#if WL_SCATTER_PAIRS
    const unsigned pairs = shape.fields % 2 == 0 ? shape.vectors / 2 : 0;
    for (unsigned v0 = threadIdx.x; v0 < pairs; v0 += WL_LOADS / 2 * blockDim.x) {
        struct wl_pair moved[WL_LOADS / 2];
        unsigned at[WL_LOADS / 2];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS / 2; u++) {
            unsigned v = v0 + u * blockDim.x;
            at[u] = WL_NOWHERE;
            struct wl_place place = wl_place_find_pair(&shape, v);
            unsigned i = place.vector * WL_EACH;
            if (v < pairs && i + WL_EACH <= (unsigned)count) {
                uint64_t shift = chunk.stream_shift + (chunk.start + i) * WL_WIDTH;
                at[u] = wl_place_base(&shape, place, 0, 0);
                moved[u].even = *wl_once((const uint4 *)wl_global(shape.streams[place.field] + shift));
                moved[u].odd = *wl_once((const uint4 *)wl_global(shape.streams[place.field + 1] + shift));
            }
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS / 2; u++)
            if (at[u] != WL_NOWHERE)
                wl_scatter_pair(&shape, shared, at[u], moved[u]);
    }
#else
    const unsigned pairs = 0;
#endif
    for (unsigned v0 = pairs ? shape.vectors : threadIdx.x; v0 < shape.vectors; v0 += WL_LOADS * blockDim.x) {
        uint4 moved[WL_LOADS];
        unsigned at[WL_LOADS];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned v = v0 + u * blockDim.x;
            at[u] = WL_NOWHERE;
            if (v < shape.vectors) {
                struct wl_place place = wl_place_find(&shape, v);
                uint64_t stream = shape.streams[place.field] + chunk.stream_shift;
                int skew = ((unsigned)stream & 15) / WL_WIDTH;
                int i = (int)(place.vector * WL_EACH) - skew;
                if (i >= loaded_begin && i + WL_EACH <= loaded_end) {
                    at[u] = wl_place_base(&shape, place, misfit, (int)shape.slack - skew);
                    moved[u] = *wl_once(
                        (const uint4 *)wl_global(stream + (chunk.start + (uint64_t)(int64_t)i) * WL_WIDTH));
                }
            }
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++)
            if (at[u] != WL_NOWHERE)
                WL_SCATTER(&shape, shared, at[u], moved[u], threadIdx.x & 8);
    }
    if (chunk.start == 0 || shape.n - high < shape.slack || high == shape.n) {
        /* The ends of the streams, which this chunk may share with the last. */
#pragma unroll 1
        for (unsigned v = threadIdx.x; v < shape.vectors; v += blockDim.x) {
            struct wl_place place = wl_place_find(&shape, v);
            uint64_t stream = shape.streams[place.field] + chunk.stream_shift;
            int skew = ((unsigned)stream & 15) / WL_WIDTH;
            int i = (int)(place.vector * WL_EACH) - skew;
            if (i >= loaded_begin && i + WL_EACH <= loaded_end)
                continue;
            unsigned at = wl_place_base(&shape, place, misfit, (int)shape.slack - skew);
            const wl_element *from = (const wl_element *)wl_global(stream + chunk.start * WL_WIDTH);
#pragma unroll 1
            for (int e = 0; e < WL_EACH; e++)
                if (i + e >= 0 && i + e < count)
                    *(wl_element *)(shared + wl_element_place(&shape, at, (unsigned)e)) = from[i + e];
        }
    }
    __syncthreads();

    /* slack structures are slack * row bytes, whole vectors of them. */
    const unsigned ahead = shape.slack * row >> 4;
    uint8_t *to = wl_global(begin - misfit);
    const unsigned end = misfit + (unsigned)count * row;
    const unsigned whole_begin = misfit != 0, whole_end = end >> 4;
#pragma unroll 4
    for (unsigned q = whole_begin + threadIdx.x; q < whole_end; q += blockDim.x)
        ((uint4 *)to)[q] = *(const uint4 *)(shared + wl_vector_place(&shape, q + ahead));
    if (threadIdx.x < 32) {
        unsigned q = threadIdx.x < 16 ? 0 : end >> 4, at = 16 * q + threadIdx.x % 16;
        if ((q < whole_begin || q >= whole_end) && at >= misfit && at < end && at % WL_WIDTH == 0)
            *(wl_element *)(to + at) =
                *(const wl_element *)(shared + wl_vector_place(&shape, q + ahead) + threadIdx.x % 16);
    }
}
