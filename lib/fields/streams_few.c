#include "lib/fields/interleave_few.h"
#include "lib/fields/streams_movers.h"

#define VECTOR_BYTES 16

static wl__kernel kernel_of(const struct wl__streams *streams) {
    static const wl__kernel kernels[2][5] = {
        {WL_KERNEL_deinterleave1_few2, WL_KERNEL_deinterleave2_few2, WL_KERNEL_deinterleave4_few2,
         WL_KERNEL_deinterleave8_few2, WL_KERNEL_deinterleave16_few2},
        {WL_KERNEL_interleave1_few2, WL_KERNEL_interleave2_few2, WL_KERNEL_interleave4_few2,
         WL_KERNEL_interleave8_few2, WL_KERNEL_interleave16_few2},
    };
    return kernels[streams->together][__builtin_ctz(streams->width)] + (streams->fields - 2);
}

bool wl__can_few(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    if (streams->fields < 2 || streams->fields > WL_FEW_LIMIT || wl__has_others(streams))
        return false;
    uint64_t bits = streams->packed;
    if (streams->batch > 1)
        bits |= streams->packed_batch | streams->stream_batch;
    for (unsigned f = 0; f < streams->fields; f++)
        bits |= wl__stream_address(streams, f);
    return bits % VECTOR_BYTES == 0;
}

wl_error wl__run_few(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    struct wl_few_shape shape = {
        .n = streams->n,
        .packed = streams->packed,
        .packed_stride = streams->packed_batch,
        .stream_batch = streams->stream_batch,
    };
    for (unsigned f = 0; f < streams->fields; f++)
        shape.streams[f] = wl__stream_address(streams, f);
    /* The thread after the one with the last whole vector takes the rest. */
    uint64_t vectors = streams->n / (VECTOR_BYTES / streams->width) + 1, first;
    shape.blocks = vectors / WL_FEW_THREADS + (vectors % WL_FEW_THREADS != 0);
    void *arguments[] = {&shape, &first};
    return wl__streams_launch(p->context, kernel_of(streams), shape.blocks * streams->batch, WL_FEW_THREADS,
                              0, arguments, &first, p->stream);
}
