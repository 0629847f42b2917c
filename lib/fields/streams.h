/* Structures of equal fields <-> streams, one array per field: what wl_deinterleave, wl_interleave and narrow
 * transposes share. */
#ifndef WIDELOAD_LIB_STREAMS_H
#define WIDELOAD_LIB_STREAMS_H

#include "lib/context.h"
#include "lib/cuda/batch.h"

struct wl__streams {
    const char *call; /* for wl_explain() */
    bool together;    /* from the streams to the structures */
    unsigned width;   /* bytes of a field */
    unsigned fields;  /* not 0 */
    uint64_t n;       /* structures: not 0 */
    wl_devptr packed;
    const wl_devptr *each; /* the streams' addresses; NULL: they begin at `stream`, stream_bytes apart */
    wl_devptr stream;
    uint64_t stream_bytes;
    /* The number of such problems; bytes from one to the next, on both sides. */
    uint64_t batch, packed_batch, stream_batch;
    /* Its dimensions before the last one, if it has several: from the structures, and to the streams.  The
     * batch counts the problems of all, which are fewer than 2^31 then. */
    struct wl_batch others;
};

static inline wl_devptr wl__stream_address(const struct wl__streams *streams, unsigned field) {
    return streams->each ? streams->each[field] : streams->stream + field * streams->stream_bytes;
}

/* Whether the problems have several dimensions, which only chunks and tiles know of. */
static inline bool wl__has_others(const struct wl__streams *streams) {
    return streams->others.digits > 0;
}

/* Addresses and distances are multiples of the width, and have been checked. */
wl_error wl__streams_move(wl_context *context, const struct wl__streams *streams, wl_stream stream);

/* Launches `blocks` blocks in all.  The last argument must point at *first, which each launch sets to its
 * first block's number. */
wl_error wl__streams_launch(wl_context *context, wl__kernel kernel, uint64_t blocks, unsigned threads,
                            uint32_t shared_bytes, void **arguments, uint64_t *first, wl_stream stream);

#endif
