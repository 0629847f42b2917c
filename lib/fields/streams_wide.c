#include "lib/fields/interleave_wide.h"
#include "lib/fields/streams_movers.h"
#include "lib/launch.h"

/* One of a batch. */
static wl_error run(const struct wl__problem *p, uint64_t at) {
    const struct wl__streams *streams = p->streams;
    uint64_t packed = 0, stream = 0;
    if (wl__has_others(streams))
        at = wl_find_matrix(&streams->others, (uint32_t)at, &packed, &stream);
    packed += at * streams->packed_batch;
    stream += at * streams->stream_batch;
    static const wl__kernel kernels[2][5] = {
        {WL_KERNEL_wide_deinterleave1, WL_KERNEL_wide_deinterleave2, WL_KERNEL_wide_deinterleave4,
         WL_KERNEL_wide_deinterleave8, WL_KERNEL_wide_deinterleave16},
        {WL_KERNEL_wide_interleave1, WL_KERNEL_wide_interleave2, WL_KERNEL_wide_interleave4,
         WL_KERNEL_wide_interleave8, WL_KERNEL_wide_interleave16},
    };
    wl__kernel kernel = kernels[streams->together][__builtin_ctz(streams->width)];
    for (unsigned done = 0; done < streams->fields;) {
        unsigned left = streams->fields - done, now = left < WL_WIDE_STREAMS ? left : WL_WIDE_STREAMS;
        struct wl_wide_shape shape = {
            .n = streams->n,
            .packed = streams->packed + packed + (uint64_t)done * streams->width,
            .pitch = (uint64_t)streams->fields * streams->width,
            .fields = now,
            .tiles = (now + WL_WIDE_TILE - 1) / WL_WIDE_TILE,
        };
        for (unsigned f = 0; f < now; f++)
            shape.streams[f] = wl__stream_address(streams, done + f) + stream;
        uint64_t blocks = (streams->n / WL_WIDE_TILE + (streams->n % WL_WIDE_TILE != 0)) * shape.tiles, first;
        void *arguments[] = {&shape, &first};
        wl_error error =
            wl__launch_linear(p->context, kernel, blocks, 1, (struct wl__block){WL_WIDE_TILE, WL_WIDE_ROWS},
                              arguments, &first, p->stream);
        if (error)
            return error;
        done += now;
    }
    return WL_ERROR_OK;
}

wl_error wl__run_wide(const struct wl__problem *p) {
    wl_error error = WL_ERROR_OK;
    for (uint64_t at = 0; !error && at < p->streams->batch; at++)
        error = run(p, at);
    return error;
}
