#include "lib/chunks.h"

#include "lib/launch.h"

#define THREADS 256
/* Vectors of 16 bytes that a chunk should have: 16 KB, 4 a thread. */
#define VECTORS 1024
/* Consecutive vectors of a stream that stand together in shared memory's order: a line of 128 bytes. */
#define GROUP 8
#define VECTOR_BYTES 16
#define SECTOR_BYTES 32
/* Below so many blocks chunks are made smaller, so that each multiprocessor has some. */
#define BLOCKS 1024

static uint32_t inverse_of(unsigned divisor) {
    return (uint32_t)(((UINT64_C(1) << 32) + divisor - 1) / divisor);
}

/* All bits of how far streams begin past an aligned address. */
static unsigned misalignment(const struct wl__chunks *chunks, const struct wl_interleave_shape *shape) {
    uint64_t bits = chunks->batch > 1 ? chunks->stream_batch : 0;
    for (unsigned f = 0; f < chunks->fields; f++)
        bits |= shape->streams[f];
    return (unsigned)bits;
}

/* Chunks of `groups` groups of vectors of each stream: how far they advance, and what a block holds beside. */
static void cut(const struct wl__chunks *chunks, struct wl_interleave_shape *shape, unsigned groups) {
    unsigned each = VECTOR_BYTES / chunks->width, sector = SECTOR_BYTES / chunks->width;
    unsigned held = groups * GROUP * each, bits = misalignment(chunks, shape);
    shape->vectors = groups * GROUP * chunks->fields;
    shape->structures = held;
    shape->slack = 0;
    if (!chunks->together && bits % SECTOR_BYTES)
        shape->slack = sector - 1;
    if (chunks->together && bits % VECTOR_BYTES) {
        /* The streams' vectors end up to one vector early.  Two are left out, so that the structures' side goes
         * on at a sector's boundary if it began at one. */
        shape->structures = held - (sector > each ? sector : each);
        shape->slack = each;
    }
    uint64_t ends = chunks->n + (chunks->together ? 0 : shape->slack);
    shape->chunks = ends / shape->structures + (ends % shape->structures != 0);
}

/* Where the structures' vectors lie in shared memory.  Says whether by shifts, which any alignment can have. */
static bool place(const struct wl__chunks *chunks, struct wl_interleave_shape *shape, uint32_t *shared_bytes) {
    unsigned fields = chunks->fields, each = VECTOR_BYTES / chunks->width;
    unsigned held = shape->structures + (chunks->together ? 2 : 1) * shape->slack;
    /* The first may begin inside a vector. */
    unsigned vectors = (held * fields + each - 1) / each + 1, gaps = 0;
    bool even = fields % 2 == 0;
    bool rows = !even || (shape->slack == 0 && shape->packed % VECTOR_BYTES == 0 &&
                          shape->packed_stride % VECTOR_BYTES == 0);
    if (!rows) {
        /* fields = odd x 2^zeros: vectors that are 8 x odd apart would meet in one bank. */
        unsigned zeros = (unsigned)__builtin_ctz(fields);
        shape->pad = zeros < 3 ? 3 : zeros;
        gaps = vectors >> shape->pad;
    } else if (even) {
        shape->pad = shape->fields_inverse;
        gaps = vectors / fields;
    }
    shape->row = VECTOR_BYTES * (rows && even ? fields + 1 : fields);
    *shared_bytes = VECTOR_BYTES * (vectors + gaps + 1);
    return !rows;
}

static enum wl__kernel kernel_of(const struct wl__chunks *chunks, bool shifted) {
    static const enum wl__kernel kernels[5][2][2] = {
        {{WL_KERNEL_deinterleave1, WL_KERNEL_deinterleave1_shifted},
         {WL_KERNEL_interleave1, WL_KERNEL_interleave1_shifted}},
        {{WL_KERNEL_deinterleave2, WL_KERNEL_deinterleave2_shifted},
         {WL_KERNEL_interleave2, WL_KERNEL_interleave2_shifted}},
        {{WL_KERNEL_deinterleave4, WL_KERNEL_deinterleave4_shifted},
         {WL_KERNEL_interleave4, WL_KERNEL_interleave4_shifted}},
        {{WL_KERNEL_deinterleave8, WL_KERNEL_deinterleave8_shifted},
         {WL_KERNEL_interleave8, WL_KERNEL_interleave8_shifted}},
        {{WL_KERNEL_deinterleave16, WL_KERNEL_deinterleave16_shifted},
         {WL_KERNEL_interleave16, WL_KERNEL_interleave16_shifted}},
    };
    return kernels[__builtin_ctz(chunks->width)][chunks->together][shifted];
}

wl_error wl__chunks_move(wl_context *context, const struct wl__chunks *chunks, wl_stream stream) {
    struct wl_interleave_shape shape = {
        .n = chunks->n,
        .packed = chunks->packed,
        .packed_stride = chunks->packed_batch,
        .stream_batch = chunks->stream_batch,
        .fields = chunks->fields,
        .fields_inverse = inverse_of(chunks->fields),
    };
    if (chunks->batch == 1)
        shape.packed_stride = shape.stream_batch = 0;
    for (unsigned f = 0; f < chunks->fields; f++)
        shape.streams[f] = chunks->streams ? chunks->streams[f] : chunks->stream + f * chunks->stream_bytes;

    unsigned groups = VECTORS / (GROUP * chunks->fields);
    do {
        if (groups == 0)
            groups = 1;
        cut(chunks, &shape, groups);
        groups /= 2;
    } while (groups && shape.chunks * chunks->batch < BLOCKS);
    uint32_t shared_bytes;
    bool shifted = place(chunks, &shape, &shared_bytes);

    uint64_t blocks = shape.chunks * chunks->batch, first;
    void *arguments[] = {&shape, &first};
    for (first = 0; first < blocks; first += WL_GRID_X_LIMIT) {
        uint64_t now = blocks - first < WL_GRID_X_LIMIT ? blocks - first : WL_GRID_X_LIMIT;
        wl_error error = wl__launch_shared(context, kernel_of(chunks, shifted), (uint32_t)now, 1,
                                           (struct wl__block){THREADS, 1}, shared_bytes, arguments, stream);
        if (error)
            return error;
    }
    return WL_ERROR_OK;
}
