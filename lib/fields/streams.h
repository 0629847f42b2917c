/* Structures of equal fields <-> streams, an array a field: what wl_deinterleave, wl_interleave and narrow
 * transposes have in common, and the table of how it is done. */
#ifndef WIDELOAD_LIB_STREAMS_H
#define WIDELOAD_LIB_STREAMS_H

#include "lib/context.h"

struct wl__streams {
    bool together;   /* from the streams to the structures */
    unsigned width;  /* bytes of a field */
    unsigned fields; /* not 0 */
    uint64_t n;      /* structures: not 0 */
    wl_devptr packed;
    const wl_devptr *each; /* the streams' addresses; NULL: they begin at `stream`, every stream_bytes */
    wl_devptr stream;
    uint64_t stream_bytes;
    /* So many such problems: bytes from one to the next, on both sides.  More than one only of 2 to
     * WL_NARROW_LIMIT_TORN fields. */
    uint64_t batch, packed_batch, stream_batch;
};

static inline wl_devptr wl__stream_address(const struct wl__streams *streams, unsigned field) {
    return streams->each ? streams->each[field] : streams->stream + field * streams->stream_bytes;
}

/* A row of the table.  Addresses and distances are multiples of the width, and have been checked. */
struct wl__streams_strategy {
    const char *name, *why;
    bool (*applies)(const wl_context *context, const struct wl__streams *streams);
    wl_error (*move)(wl_context *context, const struct wl__streams *streams, wl_stream stream);
};

/* The first row that applies. */
const struct wl__streams_strategy *wl__streams_choose(const wl_context *context,
                                                      const struct wl__streams *streams);

/* The rows' functions, each with the kernels that it launches: */
/* interleave_few.cu: a thread holds a vector of each stream in registers. */
bool wl__few_fits(const wl_context *context, const struct wl__streams *streams);
wl_error wl__few_move(wl_context *context, const struct wl__streams *streams, wl_stream stream);
/* deinterleave_bulk.cu: a block loads structures by a bulk copy and takes them apart by words. */
bool wl__bulk_fits(const wl_context *context, const struct wl__streams *streams);
wl_error wl__bulk_move(wl_context *context, const struct wl__streams *streams, wl_stream stream);
/* deinterleave_32.cu, deinterleave_bulk.cu: the one number of fields that the compiler knows. */
bool wl__32_fit(const wl_context *context, const struct wl__streams *streams);
wl_error wl__32_move(wl_context *context, const struct wl__streams *streams, wl_stream stream);
/* interleave.cu: a block holds whole structures in shared memory. */
bool wl__chunks_fit(const wl_context *context, const struct wl__streams *streams);
wl_error wl__chunks_move(wl_context *context, const struct wl__streams *streams, wl_stream stream);
/* interleave_wide.cu: tiles of 32 structures and 32 fields. */
wl_error wl__wide_move(wl_context *context, const struct wl__streams *streams, wl_stream stream);

/* Launches of `blocks` blocks in all.  The last of the arguments must point at *first, which each launch
 * finds set to its first block's number. */
wl_error wl__streams_launch(wl_context *context, wl__kernel kernel, uint64_t blocks, unsigned threads,
                            uint32_t shared_bytes, void **arguments, uint64_t *first, wl_stream stream);

#endif
