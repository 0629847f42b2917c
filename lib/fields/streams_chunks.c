#include "lib/fields/interleave.h"
#include "lib/fields/streams_movers.h"

#define GROUP        WL_INTERLEAVE_GROUP
#define VECTOR_BYTES 16
#define WARP         32
#define SECTOR_BYTES 32

static uint32_t inverse_of(unsigned divisor) {
    return (uint32_t)(((UINT64_C(1) << 32) + divisor - 1) / divisor);
}

/* The bits of all streams' distances from aligned addresses. */
static unsigned misalignment(const struct wl__streams *streams, const struct wl_interleave_shape *shape) {
    uint64_t bits = streams->batch > 1 ? streams->stream_batch : 0;
    for (unsigned f = 0; f < streams->fields; f++)
        bits |= shape->streams[f];
    for (uint32_t i = 0; i < shape->batch.digits; i++)
        bits |= shape->batch.digit[i].to;
    return (unsigned)bits;
}

/* Cuts chunks of `groups` groups of vectors of each stream: their step, and what a block holds in
 * addition. */
static void cut(const struct wl__streams *streams, struct wl_interleave_shape *shape, unsigned groups,
                unsigned bits) {
    unsigned each = VECTOR_BYTES / streams->width, sector = SECTOR_BYTES / streams->width;
    unsigned held = groups * GROUP * each;
    shape->vectors = groups * GROUP * streams->fields;
    shape->structures = held;
    shape->slack = 0;
    if (!streams->together && bits % SECTOR_BYTES)
        shape->slack = sector - 1;
    if (streams->together && bits % VECTOR_BYTES) {
        /* The streams' vectors end up to one vector early.  Two are left out, so that the structures' side
         * continues at a sector's boundary if it began at one. */
        shape->structures = held - (sector > each ? sector : each);
        shape->slack = each;
    }
    uint64_t ends = streams->n + (streams->together ? 0 : shape->slack);
    shape->chunks = ends / shape->structures + (ends % shape->structures != 0);
}

/* Places the structures' vectors in shared memory.  Returns whether they are padded and begin anywhere. */
static bool place(const struct wl__streams *streams, struct wl_interleave_shape *shape,
                  uint32_t *shared_bytes) {
    unsigned fields = streams->fields, each = VECTOR_BYTES / streams->width;
    unsigned held = shape->structures + (streams->together ? 2 : 1) * shape->slack;
    /* The first may begin inside a vector. */
    unsigned vectors = (held * fields + each - 1) / each + 1, gaps = 0;
    /* An empty vector after each `fields`, so that vectors `fields` apart lie in different banks. */
    bool even = fields % 2 == 0;
    if (even) {
        shape->pad = inverse_of(fields);
        shape->byte_pad = inverse_of(VECTOR_BYTES * fields);
        gaps = vectors / fields;
    }
    shape->row = VECTOR_BYTES * (even ? fields + 1 : fields);
    *shared_bytes = VECTOR_BYTES * (vectors + gaps + 1);
    uint64_t places = shape->packed | shape->packed_stride;
    for (uint32_t i = 0; i < shape->batch.digits; i++)
        places |= shape->batch.digit[i].from;
    return even && !(shape->slack == 0 && places % VECTOR_BYTES == 0);
}

/* Parts the fields that a warp takes at once by a word, where neighbouring streams begin in the same banks of
 * shared memory: a multiple of 16 bytes of structures, nearly, lies between their beginnings.  Elsewhere
 * neighbours are up to 5 % faster.  Of four 1-byte fields only those are apart that may begin alike. */
static void part(const struct wl__streams *streams, struct wl_interleave_shape *shape) {
    const unsigned fields = streams->fields, word = 4 / streams->width;
    const uint64_t misfit = (shape->streams[1] - shape->streams[0]) * fields % VECTOR_BYTES;
    if (fields % 2 || (misfit >= 4 && misfit <= VECTOR_BYTES - 4))
        return;
    shape->apart = fields > word ? word : 2;
    shape->period = fields % shape->apart ? fields / 2 : fields / shape->apart;
}

static wl__kernel kernel_of(const struct wl__streams *streams, bool shifted) {
    static const wl__kernel kernels[5][2] = {
        {WL_KERNEL_deinterleave1_shifted, WL_KERNEL_interleave1_shifted},
        {WL_KERNEL_deinterleave2_shifted, WL_KERNEL_interleave2_shifted},
        {WL_KERNEL_deinterleave4_shifted, WL_KERNEL_interleave4_shifted},
        {WL_KERNEL_deinterleave8_shifted, WL_KERNEL_interleave8_shifted},
        {WL_KERNEL_deinterleave16_shifted, WL_KERNEL_interleave16_shifted},
    };
    if (streams->width == 1 && !shifted)
        return streams->together ? WL_KERNEL_interleave1 : WL_KERNEL_deinterleave1;
    return kernels[__builtin_ctz(streams->width)][streams->together];
}

bool wl__can_chunks(const struct wl__problem *p) {
    return p->streams->fields >= 2 && p->streams->fields <= WL_STREAMS_MAX;
}

/* With more than 4 or 5 vectors per thread, the loads of a second round wait for the first's: for 44 to 64
 * fields twice the threads save 0.01 to 0.04 of a copy.  1-byte elements have fewer, see interleave.cu; and
 * one warp less if the others then have 3 vectors each at most, 272 for 17 fields: this saves 0.02. */
static unsigned threads_of(const struct wl__problem *p, unsigned vectors) {
    const struct wl__streams *streams = p->streams;
    const unsigned all = WL_INTERLEAVE_THREADS, each = p->tuned->chunk_vectors,
                   most = streams->together ? each : each + 1;
    if (streams->together && streams->width == 1)
        return vectors > 2 * all && vectors <= 3 * (all - WARP) ? all - WARP : all;
    return vectors > most * all ? WL_INTERLEAVE_THREADS_MANY : all;
}

/* Streams are written faster with half the vectors per thread, if few threads then idle. */
static unsigned groups_of(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    unsigned step = GROUP * streams->fields, small = p->tuned->chunk_vectors / 2 * WL_INTERLEAVE_THREADS;
    if (!streams->together && small % step <= small / 8)
        return small / step;
    return p->tuned->chunk_vectors * WL_INTERLEAVE_THREADS / step;
}

wl_error wl__run_chunks(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    struct wl_interleave_shape shape = {
        .n = streams->n,
        .packed = streams->packed,
        .packed_stride = streams->packed_batch,
        .stream_batch = streams->stream_batch,
        .batch = streams->others,
        .fields = streams->fields,
        .fields_inverse = inverse_of(streams->fields),
        .pairs_inverse = streams->fields > 3 ? inverse_of(streams->fields / 2) : 0,
    };
    if (streams->batch == 1)
        shape.packed_stride = shape.stream_batch = 0;
    for (unsigned f = 0; f < streams->fields; f++)
        shape.streams[f] = wl__stream_address(streams, f);

    unsigned groups = groups_of(p), bits = misalignment(streams, &shape);
    do {
        if (groups == 0)
            groups = 1;
        cut(streams, &shape, groups, bits);
        groups /= 2;
    } while (groups && shape.chunks * streams->batch < p->tuned->chunk_blocks);
    uint32_t shared_bytes;
    bool shifted = place(streams, &shape, &shared_bytes) || WL_MASKED(kernel_of(streams, false));

    if (shifted && streams->width <= 2)
        part(streams, &shape);
    uint64_t blocks = shape.chunks * streams->batch, first;
    void *arguments[] = {&shape, &first};
    return wl__streams_launch(p->context, kernel_of(streams, shifted), blocks, threads_of(p, shape.vectors),
                              shared_bytes, arguments, &first, p->stream);
}
