/* What interleave.cu's two directions share: the shape, whose chunk a block has, and where elements lie in
 * shared memory. */
#include "element.cuh"

#include "interleave.h"

/* Loads in flight a thread. */
#define WL_LOADS 4

#if WL_SHIFTED
#define WL_NAME(direction) WL_JOIN(direction, WL_WIDTH, _shifted)
#else
#define WL_NAME(direction) WL_JOIN(direction, WL_WIDTH, )
#endif

struct wl_chunk {
    uint64_t start;        /* the first structure */
    uint64_t packed;       /* the address of the matrix's structures */
    uint64_t stream_shift; /* what is added to each stream's address */
};

static __device__ __forceinline__ struct wl_chunk wl_chunk_find(const struct wl_interleave_shape *shape,
                                                                uint64_t index) {
    uint64_t batch = 0;
    if (index >= shape->chunks) {
        batch = wl_divide(index, shape->chunks);
        index -= batch * shape->chunks;
    }
    struct wl_chunk chunk = {index * shape->structures, shape->packed + batch * shape->packed_stride,
                             batch * shape->stream_batch};
    return chunk;
}

/* A vector of a stream: its field and its number within the chunk. */
struct wl_place {
    unsigned field, vector;
};

static __device__ __forceinline__ struct wl_place wl_place_find(const struct wl_interleave_shape *shape,
                                                                unsigned v) {
    unsigned group = v / WL_INTERLEAVE_GROUP, block = __umulhi(group, shape->fields_inverse);
    struct wl_place place = {group - block * shape->fields,
                             block * WL_INTERLEAVE_GROUP + v % WL_INTERLEAVE_GROUP};
    return place;
}

/* Where vector q of the structures' side lies, in bytes. */
static __device__ __forceinline__ unsigned wl_vector_place(const struct wl_interleave_shape *shape,
                                                           unsigned q) {
    return 16 * (q + __umulhi(q, shape->pad));
}

/* A vector's first element, before padding by shifts; then element e of it. */
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

/* The elements of a stream's vector out of shared memory, and into it. */
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
    for (unsigned i = 0; i < 4; i++) {
#if WL_WIDTH == 2
        word[i] = __byte_perm(WL_AT(2 * i), WL_AT(2 * i + 1), 0x5410);
#else
        word[i] = __byte_perm(__byte_perm(WL_AT(4 * i), WL_AT(4 * i + 1), 0x0040),
                              __byte_perm(WL_AT(4 * i + 2), WL_AT(4 * i + 3), 0x0040), 0x5410);
#endif
    }
    return make_uint4(word[0], word[1], word[2], word[3]);
#endif
}

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
