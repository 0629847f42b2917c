/* wl_copy and wl_copy_2d: bytes, and rows of bytes, from any place to any other. */
#include "lib/arguments.h"
#include "lib/copy/rows.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/mover.h"
#include "lib/slots.h"

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    wl_devptr to, from;
    uint64_t bytes;
};

static bool can_aligned(const struct wl__problem *p) {
    return wl__slots_alike(p->to, &p->from, 1);
}

static wl_error run(const struct wl__problem *p) {
    return wl__slots_launch(p->context, WL_KERNEL_copy_any, p->to, &p->from, 1, p->bytes, p->stream);
}

/* One kernel does both. */
static const struct wl__mover movers[] = {
    {"aligned", "both sides lie alike in 16 bytes: one 16-byte load and store a thread", can_aligned, NULL,
     run},
    {"shifted", "the sides lie otherwise in 16 bytes: aligned loads, the bytes shifted into place", NULL,
     wl__cost_floor, run},
};

wl_error wl_copy(wl_context *context, wl_devptr to, wl_devptr from, size_t bytes, wl_stream stream) {
    static const char call[] = "wl_copy";
    struct wl__reach reach = {.context = context};
    const struct wl__array target = {"to", to, bytes}, source = {"from", from, bytes};
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_both(call, &reach, &target, &source, 1);
    if (error || bytes == 0)
        return error;
    const struct wl__problem problem = {context, stream, to, from, bytes};
    struct wl__choice choice = {.operation = call, .facts = {{"bytes", bytes}}};
    if (wl__is_host(context))
        return wl__host_move(context, &choice, &(struct wl__strided){.to = to, .from = from, .bytes = bytes});
    return wl__move(context, WL_MOVERS(movers), &choice, &problem);
}

/* Bytes from the first row's first byte to the last row's last. */
static uint64_t span(uint64_t pitch, uint64_t row_bytes, uint64_t rows) {
    return wl__add(wl__multiply(rows - 1, pitch), row_bytes);
}

static wl_error check_pitch(const char *call, const char *name, size_t pitch, size_t row_bytes) {
    if (pitch >= row_bytes)
        return WL_ERROR_OK;
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is %zu bytes, less than a row's %zu", call, name,
                    pitch, row_bytes);
}

/* With one pitch, rows of `to` may lie in the gaps between rows of `from`. */
static bool beside(wl_devptr to, wl_devptr from, uint64_t pitch, uint64_t row_bytes) {
    uint64_t ahead = to > from ? (to - from) % pitch : pitch - (from - to) % pitch;
    return ahead >= row_bytes && pitch - ahead >= row_bytes;
}

wl_error wl_copy_2d(wl_context *context, wl_devptr to, size_t to_pitch, wl_devptr from, size_t from_pitch,
                    size_t row_bytes, size_t rows, wl_stream stream) {
    static const char call[] = "wl_copy_2d";
    wl_error error = wl__check_context(call, context);
    if (error || rows == 0 || row_bytes == 0)
        return error;
    error = check_pitch(call, "to_pitch", to_pitch, row_bytes);
    if (!error)
        error = check_pitch(call, "from_pitch", from_pitch, row_bytes);
    if (error)
        return error;
    struct wl__reach reach = {.context = context};
    const struct wl__array target = {"to", to, span(to_pitch, row_bytes, rows)},
                           source = {"from", from, span(from_pitch, row_bytes, rows)};
    error = wl__check_array(call, &reach, &target, 1);
    if (!error)
        error = wl__check_array(call, &reach, &source, 1);
    if (!error && !(to_pitch == from_pitch && beside(to, from, to_pitch, row_bytes)))
        error = wl__check_apart(call, &target, &source);
    if (error)
        return error;
    struct wl__choice choice = {
        .operation = call,
        .facts = {
            {"row_bytes", row_bytes}, {"rows", rows}, {"to_pitch", to_pitch}, {"from_pitch", from_pitch}}};
    if (wl__is_host(context))
        return wl__host_move(
            context, &choice,
            &(struct wl__strided){to, from, row_bytes, 1, {{rows, (int64_t)to_pitch, (int64_t)from_pitch}}});
    struct wl__rows all = {to, from, row_bytes, 1, {{rows, to_pitch, from_pitch}}};
    wl__rows_join(&all);
    return wl__rows_move(context, &choice, &all, stream);
}
