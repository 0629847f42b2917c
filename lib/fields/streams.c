#include "lib/fields/streams.h"

#include "lib/launch.h"

static bool is_one_field(const wl_context *context, const struct wl__streams *streams) {
    (void)context;
    return streams->fields == 1;
}
static wl_error copy(wl_context *context, const struct wl__streams *streams, wl_stream stream) {
    wl_devptr array = wl__stream_address(streams, 0);
    return wl_copy(context, streams->together ? streams->packed : array,
                   streams->together ? array : streams->packed, streams->n * streams->width, stream);
}

static bool is_any(const wl_context *context, const struct wl__streams *streams) {
    (void)context;
    (void)streams;
    return true;
}

static const struct wl__streams_strategy strategies[] = {
    {"copy", "one field: both sides are the same", is_one_field, copy},
    {"registers", "2 to 8 fields, all aligned to 16 bytes: each thread holds a vector of each", wl__few_fits,
     wl__few_move},
    {"32", "32 streams equally far apart that begin at sectors: all of it known to the compiler", wl__32_fit,
     wl__32_move},
    {"bulk",
     "17 to 64 narrow fields to arrays that begin at sectors: structures are bulk copies, taken apart by "
     "words",
     wl__bulk_fits, wl__bulk_move},
    {"chunks", "up to 64 fields: whole structures go through shared memory, each side by vectors in order",
     wl__chunks_fit, wl__chunks_move},
    {"tiles", "more fields than a block can hold vectors of", is_any, wl__wide_move},
};

const struct wl__streams_strategy *wl__streams_choose(const wl_context *context,
                                                      const struct wl__streams *streams) {
    const struct wl__streams_strategy *strategy = strategies;
    while (!strategy->applies(context, streams))
        strategy++;
    return strategy;
}

wl_error wl__streams_launch(wl_context *context, wl__kernel kernel, uint64_t blocks, unsigned threads,
                            uint32_t shared_bytes, void **arguments, uint64_t *first, wl_stream stream) {
    for (uint64_t done = 0; done < blocks; done += WL_GRID_X_LIMIT) {
        uint64_t now = blocks - done < WL_GRID_X_LIMIT ? blocks - done : WL_GRID_X_LIMIT;
        *first = done;
        wl_error error = wl__launch_shared(context, kernel, (uint32_t)now, 1, (struct wl__block){threads, 1},
                                           shared_bytes, arguments, stream);
        if (error)
            return error;
    }
    return WL_ERROR_OK;
}
