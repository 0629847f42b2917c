/* Structures of k equal fields of 1 or 2 bytes (WL_WIDTH) -> k streams that begin at sectors, on GPUs with
 * bulk copies.
 *
 * A block moves WL_BULK_PIECE bytes of each stream.  Their structures are one bulk copy to shared memory,
 * whose bytes in flight occupy no registers.  A thread then takes the structures of a vector, of each a word
 * of fields side by side (4 bytes or 2 halves), exchanges the word's elements with the other structures' in
 * registers, and puts a vector of each of these streams where the streams' pieces are gathered; they are
 * stored from there, 256 bytes side by side.
 *
 * Elements that are picked singly, as interleave.cu does, are up to 16 accesses a vector; words are 4 or 8,
 * or twice as many where structures are no whole words: then two words are shifted together.  That is worth
 * the second pass through shared memory from 17 fields on.
 *
 * Banks: words are read side by side, vectors written an odd number of vectors apart.
 *
 * Traffic: every byte is read once and written once, every sector whole.
 */
#include "bulk.cuh"
#include "element.cuh"

#include "deinterleave_bulk.h"

/* Fields of a word. */
#define WL_TOGETHER   (4 / WL_WIDTH)
#define WL_STRUCTURES (WL_BULK_PIECE / WL_WIDTH)

struct wl_bulk_chunk {
    uint64_t packed; /* address of the structures */
    uint64_t shift;  /* what is added to each stream's address */
    unsigned count;  /* structures */
};

static __device__ __forceinline__ struct wl_bulk_chunk wl_bulk_chunk_find(const struct wl_bulk_shape *shape,
                                                                          uint64_t index) {
    uint64_t batch = 0;
    if (index >= shape->chunks) {
        batch = wl_divide(index, shape->chunks);
        index -= batch * shape->chunks;
    }
    uint64_t start = index * WL_STRUCTURES;
    struct wl_bulk_chunk chunk = {
        shape->packed + batch * shape->packed_stride + start * shape->fields * WL_WIDTH,
        batch * shape->stream_batch + start * WL_WIDTH,
        (unsigned)min(shape->n - start, (uint64_t)WL_STRUCTURES),
    };
    return chunk;
}

/* Four bytes from byte `at` of shared memory on. */
static __device__ __forceinline__ uint32_t wl_word_at(const uint8_t *shared, unsigned at, bool aligned) {
    const uint32_t *words = (const uint32_t *)(shared + (at & ~3u));
    return aligned ? words[0] : __funnelshift_r(words[0], words[1], 8 * at);
}

/* A vector of each of WL_TOGETHER streams; their first structure's word begins at byte `at`, structures lie
 * `row` bytes apart. */
static __device__ __forceinline__ void wl_gather_words(const uint8_t *shared, unsigned at, unsigned row,
                                                       uint32_t out[WL_TOGETHER][4]) {
    const bool aligned = row % 4 == 0;
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
#if WL_WIDTH == 2
        uint32_t a = wl_word_at(shared, at + 2 * i * row, aligned);
        uint32_t b = wl_word_at(shared, at + (2 * i + 1) * row, aligned);
        out[0][i] = __byte_perm(a, b, 0x5410);
        out[1][i] = __byte_perm(a, b, 0x7632);
#else
        uint32_t a = wl_word_at(shared, at + 4 * i * row, aligned);
        uint32_t b = wl_word_at(shared, at + (4 * i + 1) * row, aligned);
        uint32_t c = wl_word_at(shared, at + (4 * i + 2) * row, aligned);
        uint32_t d = wl_word_at(shared, at + (4 * i + 3) * row, aligned);
        uint32_t low_ab = __byte_perm(a, b, 0x5140), high_ab = __byte_perm(a, b, 0x7362);
        uint32_t low_cd = __byte_perm(c, d, 0x5140), high_cd = __byte_perm(c, d, 0x7362);
        out[0][i] = __byte_perm(low_ab, low_cd, 0x5410);
        out[1][i] = __byte_perm(low_ab, low_cd, 0x7632);
        out[2][i] = __byte_perm(high_ab, high_cd, 0x5410);
        out[3][i] = __byte_perm(high_ab, high_cd, 0x7632);
#endif
    }
}

extern "C" __global__ void __launch_bounds__(WL_BULK_THREADS)
    WL_JOIN(deinterleave, WL_WIDTH, _bulk)(const __grid_constant__ struct wl_bulk_shape shape,
                                           uint64_t first) {
    extern __shared__ __align__(WL_BULK_ALIGN) uint4 wl_shared[];
    __shared__ wl_barrier loaded;
    uint8_t *packed = (uint8_t *)wl_shared, *streams = packed + shape.packed_bytes;
    const struct wl_bulk_chunk chunk = wl_bulk_chunk_find(&shape, first + blockIdx.x);
    const unsigned row = shape.fields * WL_WIDTH, end = chunk.count * row, whole = end & ~15u;
    if (threadIdx.x == 0) {
        wl_barrier_init(&loaded, 1);
        wl_barrier_expect(&loaded, whole);
        if (whole)
            wl_bulk_load_once(packed, wl_global(chunk.packed), whole, &loaded);
    }
    /* What is left of a vector, at the end of the array.  Nothing after that is left unwritten, as the last
     * words and the last vectors' structures reach past it. */
    if (threadIdx.x < WL_EACH) {
        unsigned at = whole + threadIdx.x * WL_WIDTH;
        wl_element last = 0;
        if (at < end)
            last = *(const wl_element *)(wl_global(chunk.packed) + at);
        *(wl_element *)(packed + at) = last;
    }
    if (chunk.count < WL_STRUCTURES)
        for (unsigned at = whole + 16 * (1 + threadIdx.x); at < shape.packed_bytes; at += 16 * blockDim.x)
            *(uint4 *)(packed + at) = make_uint4(0, 0, 0, 0);
    __syncthreads();
    wl_barrier_wait(&loaded, 0);

    for (unsigned t = threadIdx.x; t < WL_BULK_VECTORS * shape.groups; t += blockDim.x) {
        unsigned vector = __umulhi(t, shape.groups_inverse);
        unsigned field = min((t - vector * shape.groups) * WL_TOGETHER, shape.fields - WL_TOGETHER);
        uint32_t moved[WL_TOGETHER][4];
        wl_gather_words(packed, vector * WL_EACH * row + field * WL_WIDTH, row, moved);
#pragma unroll
        for (unsigned j = 0; j < WL_TOGETHER; j++)
            *(uint4 *)(streams + (field + j) * WL_BULK_PITCH + 16 * vector) =
                make_uint4(moved[j][0], moved[j][1], moved[j][2], moved[j][3]);
    }
    __syncthreads();

    for (unsigned t = threadIdx.x; t < WL_BULK_VECTORS * shape.fields; t += blockDim.x) {
        unsigned field = t / WL_BULK_VECTORS, vector = t % WL_BULK_VECTORS;
        if ((vector + 1) * WL_EACH <= chunk.count)
            ((uint4 *)wl_global(shape.streams[field] + chunk.shift))[vector] =
                *(const uint4 *)(streams + field * WL_BULK_PITCH + 16 * vector);
    }
    /* The ends of the streams. */
    const unsigned rest = chunk.count % WL_EACH;
    if (rest == 0)
        return;
#pragma unroll 1
    for (unsigned t = threadIdx.x; t < WL_EACH * shape.fields; t += blockDim.x) {
        unsigned field = t / WL_EACH, i = chunk.count - rest + t % WL_EACH;
        if (i < chunk.count)
            ((wl_element *)wl_global(shape.streams[field] + chunk.shift))[i] =
                ((const wl_element *)(streams + field * WL_BULK_PITCH))[i];
    }
}
