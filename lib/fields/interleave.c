/* wl_deinterleave and wl_interleave: structures of equal fields. */
#include <stdio.h>

#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/fields/streams.h"
#include "lib/host/host.h"

struct problem {
    const char *call;
    bool together;
    unsigned width, fields;
    wl_devptr packed;
    const wl_devptr *streams;
    uint64_t n;
};

static wl_error check_stream(const struct problem *p, struct wl__reach *reach, unsigned f,
                             const struct wl__array *packed, const char *name) {
    const struct wl__array stream = {name, p->streams[f], p->n * p->width};
    wl_error error = wl__check_array(p->call, reach, &stream, p->width);
    return error ? error : wl__check_apart(p->call, &stream, packed);
}

/* Whether each stream lies past the previous one, as most callers' streams do. */
static bool follow(const wl_devptr *streams, unsigned fields, uint64_t bytes) {
    bool follow = true;
    for (unsigned f = 1; f < fields && follow; f++)
        follow = streams[f] > streams[f - 1] && streams[f] - streams[f - 1] >= bytes;
    return follow;
}

/* Whether outputs share a byte. */
static bool overlap(const wl_devptr *streams, unsigned fields, uint64_t bytes, unsigned *a, unsigned *b) {
    for (*a = 0; *a < fields; ++*a)
        for (*b = *a + 1; *b < fields; ++*b)
            if (streams[*a] - streams[*b] < bytes || streams[*b] - streams[*a] < bytes)
                return true;
    return false;
}

/* Whether all streams are right because the first is, and they are in order. */
static bool are_like_first(const struct problem *p, const struct wl__reach *reach,
                           const struct wl__array *packed) {
    const wl_devptr first = p->streams[0], last = p->streams[p->fields - 1];
    const uint64_t bytes = p->n * p->width;
    wl_devptr bits = 0;
    for (unsigned f = 0; f < p->fields; f++)
        bits |= p->streams[f];
    return (bits & (p->width - 1)) == 0 && first / WL__PAGE_BYTES == reach->page &&
           last / WL__PAGE_BYTES == reach->page && bytes <= WL__PAGE_BYTES &&
           (last + bytes <= packed->address || packed->address + packed->bytes <= first);
}

static wl_error check(wl_context *context, const struct problem *p) {
    const char *streams = p->together ? "from" : "to";
    wl_error error = wl__check_context(p->call, context);
    if (!error)
        error = wl__check_width(p->call, p->width);
    if (error || p->n == 0 || p->fields == 0)
        return error;
    if (!p->streams)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", p->call, streams);
    const struct wl__array packed = {p->together ? "to" : "from", p->packed,
                                     wl__multiply(p->n, (uint64_t)p->fields * p->width)};
    struct wl__reach reach = {.context = context};
    error = wl__check_array(p->call, &reach, &packed, p->width);
    const bool following = follow(p->streams, p->fields, p->n * p->width);
    for (unsigned f = 0; f < p->fields && !error; f++) {
        error = check_stream(p, &reach, f, &packed, streams);
        if (error) {
            /* Repeats the check, to name the stream. */
            char name[24];
            snprintf(name, sizeof(name), "%s[%u]", streams, f);
            return check_stream(p, &reach, f, &packed, name);
        }
        if (f == 0 && following && are_like_first(p, &reach, &packed))
            break;
    }
    unsigned a, b;
    if (!error && !p->together && !following && overlap(p->streams, p->fields, p->n * p->width, &a, &b))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: to[%u] and to[%u] overlap", p->call, a, b);
    return error;
}

static wl_error move(wl_context *context, const struct problem *p, wl_stream stream) {
    wl_error error = check(context, p);
    if (error || p->n == 0 || p->fields == 0)
        return error;
    if (wl__is_host(context)) {
        struct wl__choice choice = {.operation = p->call,
                                    .facts = {{"width", p->width}, {"fields", p->fields}, {"n", p->n}}};
        return wl__host_streams(context, &choice, p->together, p->width, p->fields, p->packed, p->streams,
                                p->n);
    }
    const struct wl__streams streams = {
        .call = p->call,
        .together = p->together,
        .width = p->width,
        .fields = p->fields,
        .n = p->n,
        .packed = p->packed,
        .each = p->streams,
        .batch = 1,
    };
    return wl__streams_move(context, &streams, stream);
}

wl_error wl_deinterleave(wl_context *context, unsigned width, unsigned fields, const wl_devptr *to,
                         wl_devptr from, uint64_t n, wl_stream stream) {
    const struct problem problem = {"wl_deinterleave", false, width, fields, from, to, n};
    return move(context, &problem, stream);
}

wl_error wl_interleave(wl_context *context, unsigned width, unsigned fields, wl_devptr to,
                       const wl_devptr *from, uint64_t n, wl_stream stream) {
    const struct problem problem = {"wl_interleave", true, width, fields, to, from, n};
    return move(context, &problem, stream);
}
