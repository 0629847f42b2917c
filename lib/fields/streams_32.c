#include "lib/fields/deinterleave_32.h"
#include "lib/fields/deinterleave_bulk.h"
#include "lib/fields/streams_movers.h"

/* Bulk copies load narrower fields. */
#define WIDTH_LEAST  4
#define SECTOR_BYTES 32

static const wl__kernel kernels[] = {WL_KERNEL_deinterleave1_32, WL_KERNEL_deinterleave2_32,
                                     WL_KERNEL_deinterleave4_32, WL_KERNEL_deinterleave8_32,
                                     WL_KERNEL_deinterleave16_32};

bool wl__can_32(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    if (streams->together || streams->fields != WL_32_STREAMS || wl__has_others(streams) ||
        (streams->width < WIDTH_LEAST && !wl__has_bulk(p->context)))
        return false;
    uint64_t bits = streams->packed;
    if (streams->batch > 1)
        bits |= streams->packed_batch | streams->stream_batch;
    const uint64_t first = wl__stream_address(streams, 0), apart = wl__stream_address(streams, 1) - first;
    for (unsigned f = 2; f < WL_32_STREAMS; f++)
        if (wl__stream_address(streams, f) != first + f * apart)
            return false;
    return (bits | first | apart) % SECTOR_BYTES == 0;
}

wl_error wl__run_32(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    const unsigned width = streams->width, structures = WL_32_PIECE / width;
    struct wl_32_shape shape = {
        .n = streams->n,
        .chunks = streams->n / structures + (streams->n % structures != 0),
        .packed = streams->packed,
        .packed_stride = streams->packed_batch,
        .stream = wl__stream_address(streams, 0),
        .stream_bytes = wl__stream_address(streams, 1) - wl__stream_address(streams, 0),
        .stream_batch = streams->stream_batch,
    };
    const bool narrow = width < WIDTH_LEAST;
    uint64_t blocks = shape.chunks * (WL_32_STREAMS / WL_32_PART(width)) * streams->batch, first;
    void *arguments[] = {&shape, &first};
    return wl__streams_launch(p->context, kernels[__builtin_ctz(width)], blocks,
                              narrow ? WL_BULK_THREADS : WL_32_THREADS(width),
                              narrow ? WL_BULK_SHARED(WL_32_STREAMS) : 0, arguments, &first, p->stream);
}
