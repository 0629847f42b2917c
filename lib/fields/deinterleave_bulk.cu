/* Structures of k equal fields of 1 or 2 bytes (WL_WIDTH) -> k streams that begin at sectors, on GPUs with
 * bulk copies.
 *
 * A block moves WL_BULK_PIECE bytes of each stream.  One bulk copy loads their structures to shared memory;
 * its bytes in flight occupy no registers.  A thread then takes the structures of a vector, and from each a
 * word of contiguous fields (four of 1 byte or two of 2).  It transposes the words' elements in registers,
 * and puts a vector of each of these streams where the streams' pieces are gathered.  From there they are
 * stored, 256 contiguous bytes at a time.
 *
 * Picking single elements, as interleave.cu does, takes up to 16 accesses per vector.  Words take 4 or 8, or
 * twice as many if structures are not whole words: then two words are shifted together.  That is worth the
 * second pass through shared memory from 17 fields on.
 *
 * Banks: words are read contiguously.  For eight fields, sixteen and so on, the structures of different
 * lanes' vectors lie a multiple of 128 bytes apart.  Then each lane takes a word's structures in an order of
 * its own. The resulting elements are rotated, and the instructions that combine them rotate them back at no
 * cost (for 32 bytes words are read in 1 wavefront per warp instead of 4).  The place of a piece's vector is
 * its number XOR the group of fields: eight groups' vectors are written to different banks, and eight vectors
 * of a piece are read from different ones.
 *
 * Compiled separately for 32 fields (WL_32), as deinterleave_32.cu is, and for streams equally far apart.
 *
 * Traffic: every byte is read once and written once, every sector whole.
 */
#include "lib/cuda/bulk.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"

#include "lib/fields/deinterleave_32.h"
#include "lib/fields/deinterleave_bulk.h"

/* Fields per word. */
#define WL_TOGETHER   (4 / WL_WIDTH)
#define WL_STRUCTURES (WL_BULK_PIECE / WL_WIDTH)

/* What is known for 32 fields. */
#if WL_32
#define WL_ENTRY                        WL_JOIN(deinterleave, WL_WIDTH, _32)
#define WL_SHAPE                        wl_32_shape
#define WL_FIELDS(shape)                WL_32_STREAMS
#define WL_GROUPS(shape)                (WL_32_STREAMS / WL_TOGETHER)
#define WL_BY_GROUPS(shape, t)          ((t) / WL_GROUPS(shape))
#define WL_TURNS(shape)                 (WL_TOGETHER - 1)
#define WL_PACKED_BYTES(shape)          WL_BULK_PACKED(WL_32_STREAMS)
#define WL_STREAM_ADDRESS(shape, field) ((shape).stream + (field) * (shape).stream_bytes)
#else
#define WL_ENTRY                        WL_JOIN(deinterleave, WL_WIDTH, _bulk)
#define WL_SHAPE                        wl_bulk_shape
#define WL_FIELDS(shape)                ((shape).fields)
#define WL_GROUPS(shape)                ((shape).groups)
#define WL_BY_GROUPS(shape, t)          __umulhi(t, (shape).groups_inverse)
#define WL_TURNS(shape)                 ((shape).turns)
#define WL_PACKED_BYTES(shape)          WL_BULK_PACKED((shape).fields)
#define WL_STREAM_ADDRESS(shape, field) ((shape).streams[field])
#endif

struct wl_bulk_chunk {
    uint64_t packed; /* address of the structures */
    uint64_t shift;  /* what is added to each stream's address */
    unsigned count;  /* structures */
};

static __device__ __forceinline__ struct wl_bulk_chunk wl_bulk_chunk_find(const struct WL_SHAPE *shape,
                                                                          uint64_t index) {
    uint64_t batch = 0;
    if (index >= shape->chunks) {
        batch = wl_divide(index, shape->chunks);
        index -= batch * shape->chunks;
    }
    uint64_t start = index * WL_STRUCTURES;
    struct wl_bulk_chunk chunk = {
        shape->packed + batch * shape->packed_stride + start * WL_FIELDS(*shape) * WL_WIDTH,
        batch * shape->stream_batch + start * WL_WIDTH,
        (unsigned)min(shape->n - start, (uint64_t)WL_STRUCTURES),
    };
    return chunk;
}

/* Four bytes of shared memory from byte `at` on. */
static __device__ __forceinline__ uint32_t wl_word_at(const uint8_t *shared, unsigned at, bool aligned) {
    const uint32_t *words = (const uint32_t *)(shared + (at & ~3u));
    return aligned ? words[0] : __funnelshift_r(words[0], words[1], 8 * at);
}

/* Gathers a vector of each of WL_TOGETHER streams.  Their first structure's word begins at byte `at`, and
 * structures are `row` bytes apart.  Of WL_TOGETHER structures, number `turn` is read first. */
static __device__ __forceinline__ void wl_gather_words(const uint8_t *shared, unsigned at, unsigned row,
                                                       unsigned turn, uint32_t out[WL_TOGETHER][4]) {
    const bool aligned = row % 4 == 0;
    unsigned place[WL_TOGETHER];
#pragma unroll
    for (unsigned j = 0; j < WL_TOGETHER; j++)
        place[j] = at + (j + turn) % WL_TOGETHER * row;
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        const unsigned step = i * WL_TOGETHER * row;
        uint32_t a = wl_word_at(shared, place[0] + step, aligned);
        uint32_t b = wl_word_at(shared, place[1] + step, aligned);
#if WL_WIDTH == 2
        out[0][i] = __byte_perm(a, b, turn ? 0x1054 : 0x5410);
        out[1][i] = __byte_perm(a, b, turn ? 0x3276 : 0x7632);
#else
        uint32_t c = wl_word_at(shared, place[2] + step, aligned);
        uint32_t d = wl_word_at(shared, place[3] + step, aligned);
        uint32_t low_ab = __byte_perm(a, b, 0x5140), high_ab = __byte_perm(a, b, 0x7362);
        uint32_t low_cd = __byte_perm(c, d, 0x5140), high_cd = __byte_perm(c, d, 0x7362);
        /* Rotates 16 bits to the left: the upper half of 32 bits that hold them twice. */
        unsigned even = 0x54105410u >> (16 - 4 * turn), odd = 0x76327632u >> (16 - 4 * turn);
        out[0][i] = __byte_perm(low_ab, low_cd, even);
        out[1][i] = __byte_perm(low_ab, low_cd, odd);
        out[2][i] = __byte_perm(high_ab, high_cd, even);
        out[3][i] = __byte_perm(high_ab, high_cd, odd);
#endif
    }
}

/* The place of a vector of a stream's piece, in bytes. */
static __device__ __forceinline__ unsigned wl_piece_place(unsigned field, unsigned vector) {
    return field * WL_BULK_PIECE + 16 * (vector ^ (field / WL_TOGETHER % 8));
}

extern "C" __global__ void __launch_bounds__(WL_BULK_THREADS)
    WL_ENTRY(const __grid_constant__ struct WL_SHAPE shape, uint64_t first) {
    wl_await_earlier();
    extern __shared__ __align__(WL_BULK_ALIGN) uint4 wl_shared[];
    __shared__ wl_barrier loaded;
    uint8_t *packed = (uint8_t *)wl_shared, *streams = packed + WL_PACKED_BYTES(shape);
    const struct wl_bulk_chunk chunk = wl_bulk_chunk_find(&shape, first + blockIdx.x);
    const unsigned row = WL_FIELDS(shape) * WL_WIDTH, end = chunk.count * row, whole = end & ~15u;
    if (threadIdx.x == 0) {
        wl_barrier_init(&loaded, 1);
        wl_barrier_expect(&loaded, whole);
        if (whole)
            wl_bulk_load_once(packed, wl_global(chunk.packed), whole, &loaded);
    }
    /* The rest of a vector, at the end of the array.  Nothing after it stays unwritten, as the last words and
     * the last vectors' structures reach past it. */
    if (threadIdx.x < WL_EACH) {
        unsigned at = whole + threadIdx.x * WL_WIDTH;
        wl_element last = 0;
        if (at < end)
            last = *(const wl_element *)(wl_global(chunk.packed) + at);
        *(wl_element *)(packed + at) = last;
    }
    if (chunk.count < WL_STRUCTURES)
        for (unsigned at = whole + 16 * (1 + threadIdx.x); at < WL_PACKED_BYTES(shape); at += 16 * blockDim.x)
            *(uint4 *)(packed + at) = make_uint4(0, 0, 0, 0);
    __syncthreads();
    wl_barrier_wait(&loaded, 0);

    for (unsigned t = threadIdx.x; t < WL_BULK_VECTORS * WL_GROUPS(shape); t += blockDim.x) {
        unsigned vector = WL_BY_GROUPS(shape, t);
        unsigned field = min((t - vector * WL_GROUPS(shape)) * WL_TOGETHER, WL_FIELDS(shape) - WL_TOGETHER);
        uint32_t moved[WL_TOGETHER][4];
        wl_gather_words(packed, vector * WL_EACH * row + field * WL_WIDTH, row, vector & WL_TURNS(shape),
                        moved);
#pragma unroll
        for (unsigned j = 0; j < WL_TOGETHER; j++)
            *(uint4 *)(streams + wl_piece_place(field + j, vector)) =
                make_uint4(moved[j][0], moved[j][1], moved[j][2], moved[j][3]);
    }
    __syncthreads();

    for (unsigned t = threadIdx.x; t < WL_BULK_VECTORS * WL_FIELDS(shape); t += blockDim.x) {
        unsigned field = t / WL_BULK_VECTORS, vector = t % WL_BULK_VECTORS;
        if ((vector + 1) * WL_EACH <= chunk.count)
            ((uint4 *)wl_global(WL_STREAM_ADDRESS(shape, field) + chunk.shift))[vector] =
                *(const uint4 *)(streams + wl_piece_place(field, vector));
    }
    /* The ends of the streams. */
    const unsigned rest = chunk.count % WL_EACH;
    if (rest == 0)
        return;
#pragma unroll 1
    for (unsigned t = threadIdx.x; t < WL_EACH * WL_FIELDS(shape); t += blockDim.x) {
        unsigned field = t / WL_EACH, i = chunk.count - rest + t % WL_EACH;
        if (i < chunk.count)
            ((wl_element *)wl_global(WL_STREAM_ADDRESS(shape, field) + chunk.shift))[i] =
                ((const wl_element *)(streams + wl_piece_place(field, i / WL_EACH)))[i % WL_EACH];
    }
}
