#include "lib/fields/streams_movers.h"

#include "lib/launch.h"

static bool can_copy(const struct wl__problem *p) {
    return p->streams->fields == 1 && p->streams->batch == 1;
}

static wl_error run_copy(const struct wl__problem *p) {
    const struct wl__streams *streams = p->streams;
    const wl_devptr array = wl__stream_address(streams, 0), packed = streams->packed;
    return wl_copy(p->context, streams->together ? packed : array, streams->together ? array : packed,
                   streams->n * streams->width, p->stream);
}

static const struct wl__mover movers[] = {
    {"copy", "one field: both sides are the same", can_copy, NULL, run_copy},
    {"registers", "2 to 8 fields, all aligned to 16 bytes: each thread holds a vector of each", wl__can_few,
     NULL, wl__run_few},
    {"32", "32 streams equally far apart that begin at sectors: all of it known to the compiler", wl__can_32,
     NULL, wl__run_32},
    {"bulk",
     "many narrow fields to arrays that begin at sectors: structures are bulk copies, taken apart by "
     "words",
     wl__can_bulk, wl__cost_bulk, wl__run_bulk},
    {"chunks", "up to 64 fields: whole structures go through shared memory, each side by vectors in order",
     wl__can_chunks, NULL, wl__run_chunks},
    {"tiles", "more fields than a block can hold vectors of", NULL, wl__cost_floor, wl__run_wide},
};

wl_error wl__streams_move(wl_context *context, const struct wl__streams *streams, wl_stream stream) {
    struct wl__choice choice = {
        .operation = streams->call,
        .facts = {{"width", streams->width}, {"fields", streams->fields}, {"n", streams->n}}};
    const struct wl__problem problem = {context, stream, &context->tuned->streams, streams};
    return wl__move(context, WL_MOVERS(movers), &choice, &problem);
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
