/* Sums on the host. */
#include "lib/host/host.h"
#include "lib/host/kernels.h"
#include "lib/host/threads.h"

/* Bytes of a sum that is made in the cache before it is streamed, and of a thread's share. */
#define PIECE_BYTES 4096
#define SHARE_BYTES (1 << 18)

struct problem {
    wl__host_sum *add;
    unsigned bytes; /* of an element */
    unsigned char *out;
    const unsigned char *a, *b;
    bool stream;
};

static void add(const void *problem, uint64_t first, uint64_t end) {
    const struct problem *p = problem;
    const uint64_t stop = end * p->bytes;
    uint64_t at = first * p->bytes;
    if (!p->stream) {
        p->add(p->out + at, p->a + at, p->b + at, end - first);
        return;
    }
    while (at < stop) {
        _Alignas(WL_HOST_LINE) unsigned char piece[PIECE_BYTES];
        /* All but the first piece begin at lines. */
        uint64_t bytes = PIECE_BYTES - (uintptr_t)(p->out + at) % WL_HOST_LINE;
        bytes = bytes < stop - at ? bytes : stop - at;
        p->add(piece, p->a + at, p->b + at, bytes / p->bytes);
        wl__host_stream(p->out + at, piece, bytes);
        at += bytes;
    }
    wl__host_stream_end();
}

wl_error wl__host_add(const wl_context *context, struct wl__choice *choice, wl_type type, unsigned bytes,
                      wl_devptr out, wl_devptr a, wl_devptr b, uint64_t n) {
    const struct problem problem = {
        .add = context->host->kernels->add[type],
        .bytes = bytes,
        .out = wl__host_pointer(out),
        .a = wl__host_pointer(a),
        .b = wl__host_pointer(b),
        /* A sum in place has its lines in the cache. */
        .stream = out != a && out != b && n * bytes >= context->host->stream_from,
    };
    choice->kernel = problem.stream ? "host-stream" : "host-vectors";
    choice->why = problem.stream ? "a large sum, which goes past the caches" : "vectors of sums";
    wl__chose(context, choice);
    wl__host_share(add, &problem, n, SHARE_BYTES / bytes);
    return WL_ERROR_OK;
}
