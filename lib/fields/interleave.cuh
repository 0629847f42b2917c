/* What the two directions of interleave.cu share: the shape, the block's chunk, and the places of elements in
 * shared memory. */
#include "lib/cuda/element.cuh"
#include "lib/cuda/packed.cuh"
#include "lib/cuda/read_once.cuh"

#include "lib/fields/interleave.h"

/* Loads in flight per thread. */
#define WL_LOADS 4
/* No place in shared memory. */
#define WL_NOWHERE 0xffffffffu

#if WL_SHIFTED
#define WL_ENTRY(direction) WL_JOIN(direction, WL_WIDTH, _shifted)
#else
#define WL_ENTRY(direction) WL_JOIN(direction, WL_WIDTH, )
#endif

/* Narrow elements take many accesses: two fields at once if they are at even places and all aligned; else in
 * an order without conflicts. */
#define WL_PAIRS (WL_WIDTH <= 2 && !WL_SHIFTED)

struct wl_chunk {
    uint64_t start;        /* the first structure */
    uint64_t packed;       /* the address of the matrix's structures */
    uint64_t stream_shift; /* what is added to each stream's address */
};

static __device__ __forceinline__ struct wl_chunk wl_chunk_find(const struct wl_interleave_shape *shape,
                                                                uint64_t index) {
    uint64_t batch = 0, packed = 0, streams = 0;
    if (index >= shape->chunks) {
        batch = wl_divide(index, shape->chunks);
        index -= batch * shape->chunks;
        if (shape->batch.digits)
            batch = wl_find_matrix(&shape->batch, (uint32_t)batch, &packed, &streams);
    }
    struct wl_chunk chunk = {index * shape->structures, shape->packed + packed + batch * shape->packed_stride,
                             streams + batch * shape->stream_batch};
    return chunk;
}

/* A vector of a stream: its field, and its number within the chunk. */
struct wl_place {
    unsigned field, vector;
};

/* The i-th field in the order in which warps take them. */
static __device__ __forceinline__ unsigned wl_field(const struct wl_interleave_shape *shape, unsigned i) {
#if WL_SHIFTED && WL_WIDTH <= 2
    if (shape->period) {
        const unsigned period = shape->period, turns = (i >= period) + (i >= 2 * period) + (i >= 3 * period),
                       field = (i - turns * period) * shape->apart;
        return (field < shape->fields ? field : field - shape->fields) + turns;
    }
#endif
    return i;
}

static __device__ __forceinline__ struct wl_place wl_place_find(const struct wl_interleave_shape *shape,
                                                                unsigned v) {
    unsigned group = v / WL_INTERLEAVE_GROUP, block = __umulhi(group, shape->fields_inverse);
    struct wl_place place = {wl_field(shape, group - block * shape->fields),
                             block * WL_INTERLEAVE_GROUP + v % WL_INTERLEAVE_GROUP};
    return place;
}

/* The same for pairs of fields: gives the even one. */
static __device__ __forceinline__ struct wl_place wl_place_find_pair(const struct wl_interleave_shape *shape,
                                                                     unsigned v) {
    unsigned group = v / WL_INTERLEAVE_GROUP, pairs = shape->fields / 2;
    unsigned block = shape->pairs_inverse ? __umulhi(group, shape->pairs_inverse) : group;
    struct wl_place place = {2 * (group - block * pairs),
                             block * WL_INTERLEAVE_GROUP + v % WL_INTERLEAVE_GROUP};
    return place;
}

/* The place of vector q of the structures' side, in bytes. */
static __device__ __forceinline__ unsigned wl_vector_place(const struct wl_interleave_shape *shape,
                                                           unsigned q) {
    return 16 * (q + __umulhi(q, shape->pad));
}

/* The place of a vector's first element, before padding by shifts; then that of its element e. */
static __device__ __forceinline__ unsigned wl_place_base(const struct wl_interleave_shape *shape,
                                                         struct wl_place place, unsigned misfit, int shift) {
#if WL_SHIFTED
    return misfit +
           ((unsigned)((int)(place.vector * WL_EACH) + shift) * shape->fields + place.field) * WL_WIDTH;
#else
    return misfit + (unsigned)(shift * (int)shape->fields) * WL_WIDTH + place.vector * shape->row +
           place.field * WL_WIDTH;
#endif
}
static __device__ __forceinline__ unsigned wl_element_place(const struct wl_interleave_shape *shape,
                                                            unsigned at, unsigned e) {
    at += e * shape->fields * WL_WIDTH;
#if WL_SHIFTED
    at += __umulhi(at, shape->byte_pad) * 16;
#endif
    return at;
}

/* Gathers the elements of a stream's vector from shared memory; scatters them into it. */
static __device__ __forceinline__ uint4 wl_gather(const struct wl_interleave_shape *shape,
                                                  const uint8_t *shared, unsigned at) {
#define WL_AT(e) (*(const wl_element *)(shared + wl_element_place(shape, at, e)))
#if WL_WIDTH == 16
    return WL_AT(0);
#elif WL_WIDTH == 8
    uint2 a = WL_AT(0), b = WL_AT(1);
    return make_uint4(a.x, a.y, b.x, b.y);
#elif WL_WIDTH == 4
    return make_uint4(WL_AT(0), WL_AT(1), WL_AT(2), WL_AT(3));
#else
    uint32_t word[4];
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
#if WL_WIDTH == 2
        word[i] = wl_packed_halves(WL_AT(2 * i), WL_AT(2 * i + 1));
#else
        word[i] = wl_packed_bytes(WL_AT(4 * i), WL_AT(4 * i + 1), WL_AT(4 * i + 2), WL_AT(4 * i + 3));
#endif
    return make_uint4(word[0], word[1], word[2], word[3]);
#endif
}

#if WL_PAIRS
/* The vectors of two neighbouring fields, the even one first: an access brings an element of both. */
struct wl_pair {
    uint4 even, odd;
};
#if WL_WIDTH == 2
typedef uint32_t wl_element_pair;
#else
typedef uint16_t wl_element_pair;
#endif
static __device__ __forceinline__ struct wl_pair wl_gather_pair(const struct wl_interleave_shape *shape,
                                                                const uint8_t *shared, unsigned at) {
    uint32_t even[4], odd[4];
#define WL_BOTH(e) (*(const wl_element_pair *)(shared + wl_element_place(shape, at, e)))
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
#if WL_WIDTH == 2
        uint32_t low = WL_BOTH(2 * i), high = WL_BOTH(2 * i + 1);
#else
        uint32_t low = __byte_perm(WL_BOTH(4 * i), WL_BOTH(4 * i + 1), 0x5140);
        uint32_t high = __byte_perm(WL_BOTH(4 * i + 2), WL_BOTH(4 * i + 3), 0x5140);
#endif
        even[i] = __byte_perm(low, high, 0x5410);
        odd[i] = __byte_perm(low, high, 0x7632);
    }
    struct wl_pair pair = {make_uint4(even[0], even[1], even[2], even[3]),
                           make_uint4(odd[0], odd[1], odd[2], odd[3])};
    return pair;
}

/* For an odd number of fields: every other eight lanes begin with the vector's second word.  It lies as many
 * words further as there are fields, and so in other banks than the first word of the previous eight
 * lanes. */
static __device__ __forceinline__ uint4 wl_gather_turned(const struct wl_interleave_shape *shape,
                                                         const uint8_t *shared, unsigned at, bool turned) {
    const unsigned all = 16 * shape->fields, early = at + (turned ? all / 4 : 0),
                   late = early - (turned ? all : 0);
    uint32_t word[4];
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        at = i < 3 ? early : late;
#if WL_WIDTH == 2
        word[i] = wl_packed_halves(WL_AT(2 * i), WL_AT(2 * i + 1));
#else
        word[i] = wl_packed_bytes(WL_AT(4 * i), WL_AT(4 * i + 1), WL_AT(4 * i + 2), WL_AT(4 * i + 3));
#endif
    }
    return turned ? make_uint4(word[3], word[0], word[1], word[2])
                  : make_uint4(word[0], word[1], word[2], word[3]);
}
#endif

#if WL_PAIRS
#define WL_GATHER(shape, shared, at, turned) wl_gather_turned(shape, shared, at, turned)
#else
#define WL_GATHER(shape, shared, at, turned) wl_gather(shape, shared, at)
#endif

static __device__ __forceinline__ void wl_scatter(const struct wl_interleave_shape *shape, uint8_t *shared,
                                                  unsigned at, uint4 vector) {
#define WL_TO(e) (*(wl_element *)(shared + wl_element_place(shape, at, e)))
#if WL_WIDTH == 16
    WL_TO(0) = vector;
#elif WL_WIDTH == 8
    WL_TO(0) = make_uint2(vector.x, vector.y);
    WL_TO(1) = make_uint2(vector.z, vector.w);
#else
    const uint32_t word[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (unsigned e = 0; e < WL_EACH; e++)
        WL_TO(e) = (wl_element)(word[e * WL_WIDTH / 4] >> (8 * (e * WL_WIDTH % 4)));
#endif
}

/* A vector of 1-byte elements takes 16 accesses: for two fields at once, or for odd numbers of fields in the
 * order without conflicts, as above.  2-byte elements are as fast without, with fewer registers. */
#define WL_SCATTER_PAIRS (WL_PAIRS && WL_WIDTH == 1)
#if WL_SCATTER_PAIRS
static __device__ __forceinline__ void wl_scatter_pair(const struct wl_interleave_shape *shape,
                                                       uint8_t *shared, unsigned at, struct wl_pair pair) {
    const uint32_t even[4] = {pair.even.x, pair.even.y, pair.even.z, pair.even.w};
    const uint32_t odd[4] = {pair.odd.x, pair.odd.y, pair.odd.z, pair.odd.w};
#define WL_BOTH_TO(e) (*(wl_element_pair *)(shared + wl_element_place(shape, at, e)))
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        uint32_t low = __byte_perm(even[i], odd[i], 0x5140), high = __byte_perm(even[i], odd[i], 0x7362);
        WL_BOTH_TO(4 * i) = (wl_element_pair)low;
        WL_BOTH_TO(4 * i + 1) = (wl_element_pair)(low >> 16);
        WL_BOTH_TO(4 * i + 2) = (wl_element_pair)high;
        WL_BOTH_TO(4 * i + 3) = (wl_element_pair)(high >> 16);
    }
}

static __device__ __forceinline__ void wl_scatter_turned(const struct wl_interleave_shape *shape,
                                                         uint8_t *shared, unsigned at, uint4 vector,
                                                         bool turned) {
    const unsigned all = 16 * shape->fields, early = at + (turned ? all / 4 : 0),
                   late = early - (turned ? all : 0);
    const uint32_t word[4] = {turned ? vector.y : vector.x, turned ? vector.z : vector.y,
                              turned ? vector.w : vector.z, turned ? vector.x : vector.w};
#pragma unroll
    for (unsigned e = 0; e < WL_EACH; e++) {
        unsigned i = e / 4;
        at = i < 3 ? early : late;
        WL_TO(e) = (wl_element)(word[i] >> (8 * (e % 4)));
    }
}
#define WL_SCATTER(shape, shared, at, vector, turned) wl_scatter_turned(shape, shared, at, vector, turned)
#else
#define WL_SCATTER(shape, shared, at, vector, turned) wl_scatter(shape, shared, at, vector)
#endif
