#include "lib/fields/interleave_wide.h"
#include "lib/fields/streams.h"
#include "lib/launch.h"

wl_error wl__wide_move(wl_context *context, const struct wl__streams *streams, wl_stream stream) {
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
            .packed = streams->packed + (uint64_t)done * streams->width,
            .pitch = (uint64_t)streams->fields * streams->width,
            .fields = now,
            .tiles = (now + WL_WIDE_TILE - 1) / WL_WIDE_TILE,
        };
        for (unsigned f = 0; f < now; f++)
            shape.streams[f] = wl__stream_address(streams, done + f);
        uint64_t blocks = (streams->n / WL_WIDE_TILE + (streams->n % WL_WIDE_TILE != 0)) * shape.tiles, first;
        void *arguments[] = {&shape, &first};
        wl_error error =
            wl__launch_linear(context, kernel, blocks, 1, (struct wl__block){WL_WIDE_TILE, WL_WIDE_ROWS},
                              arguments, &first, stream);
        if (error)
            return error;
        done += now;
    }
    return WL_ERROR_OK;
}
