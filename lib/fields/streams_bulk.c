#include "lib/fields/deinterleave_bulk.h"
#include "lib/fields/streams_movers.h"

#define VECTOR_BYTES 16
#define SECTOR_BYTES 32
#define WORD_BYTES   4
#define WIDTH_LIMIT  2
/* For multiples of this number of fields, 16 structures are a multiple of 128 bytes, all banks. */
#define FIELDS_TURNED 8

bool wl__can_bulk(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    if (!wl__has_bulk(p->context) || streams->together || streams->width > WIDTH_LIMIT ||
        streams->fields <= WORD_BYTES / streams->width || streams->fields > WL_BULK_STREAMS ||
        wl__has_others(streams))
        return false;
    uint64_t packed = streams->packed, each = 0;
    if (streams->batch > 1) {
        packed |= streams->packed_batch;
        each |= streams->stream_batch;
    }
    for (unsigned f = 0; f < streams->fields; f++)
        each |= wl__stream_address(streams, f);
    return packed % VECTOR_BYTES == 0 && each % SECTOR_BYTES == 0;
}

/* Fewer fields are as fast element by element, except in batches of short streams. */
double wl__cost_bulk(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    return wl__cost_where(streams->fields >= p->tuned->bulk_fields ||
                          (streams->batch > 1 && streams->fields >= p->tuned->bulk_few &&
                           streams->n < p->tuned->bulk_stream / streams->width));
}

wl_error wl__run_bulk(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    const unsigned structures = WL_BULK_PIECE / streams->width, together = WORD_BYTES / streams->width;
    struct wl_bulk_shape shape = {
        .n = streams->n,
        .chunks = streams->n / structures + (streams->n % structures != 0),
        .packed = streams->packed,
        .fields = streams->fields,
        .groups = (streams->fields + together - 1) / together,
        /* For other numbers the structures of neighbouring vectors lie in different banks anyway. */
        .turns = streams->fields % FIELDS_TURNED == 0 ? together - 1 : 0,
    };
    shape.groups_inverse = (uint32_t)(((UINT64_C(1) << 32) + shape.groups - 1) / shape.groups);
    if (streams->batch > 1) {
        shape.packed_stride = streams->packed_batch;
        shape.stream_batch = streams->stream_batch;
    }
    for (unsigned f = 0; f < streams->fields; f++)
        shape.streams[f] = wl__stream_address(streams, f);
    uint64_t first;
    void *arguments[] = {&shape, &first};
    return wl__streams_launch(
        p->context, streams->width == 1 ? WL_KERNEL_deinterleave1_bulk : WL_KERNEL_deinterleave2_bulk,
        shape.chunks * streams->batch, WL_BULK_THREADS, WL_BULK_SHARED(streams->fields), arguments, &first,
        p->stream);
}
