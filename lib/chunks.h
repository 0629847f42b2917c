/* Structures of equal fields <-> streams, a field each, by the chunks of kernels/interleave.cu. */
#ifndef WIDELOAD_LIB_CHUNKS_H
#define WIDELOAD_LIB_CHUNKS_H

#include "lib/context.h"
#include "kernels/interleave.h"

struct wl__chunks {
    bool together;   /* from the streams to the structures */
    unsigned width;  /* bytes of a field */
    unsigned fields; /* 2 to WL_STREAMS_MAX */
    uint64_t n;      /* structures: not 0 */
    wl_devptr packed;
    const wl_devptr *streams; /* an address a field; NULL: they begin at `stream`, every stream_bytes */
    wl_devptr stream;
    uint64_t stream_bytes;
    /* Several such problems: bytes from one to the next, on both sides. */
    uint64_t batch, packed_batch, stream_batch;
};

/* Addresses and distances are multiples of the width, and have been checked. */
wl_error wl__chunks_move(wl_context *context, const struct wl__chunks *chunks, wl_stream stream);

#endif
