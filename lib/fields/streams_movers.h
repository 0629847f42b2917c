/* The movers of streams, each in the file of its kernels. */
#ifndef WIDELOAD_LIB_STREAMS_MOVERS_H
#define WIDELOAD_LIB_STREAMS_MOVERS_H

#include "lib/fields/streams.h"
#include "lib/mover.h"

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const struct wl__tuned_streams *tuned;
    const struct wl__streams *streams;
};

/* interleave_few.cu: a thread holds a vector of each stream in registers. */
bool wl__can_few(const struct wl__problem *p);
wl_error wl__run_few(const struct wl__problem *p);
/* deinterleave_32.cu, deinterleave_bulk.cu: 32 fields, a number that the compiler knows. */
bool wl__can_32(const struct wl__problem *p);
wl_error wl__run_32(const struct wl__problem *p);
/* deinterleave_bulk.cu: a block loads structures by a bulk copy and splits them by words. */
bool wl__can_bulk(const struct wl__problem *p);
double wl__cost_bulk(const struct wl__problem *p);
wl_error wl__run_bulk(const struct wl__problem *p);
/* interleave.cu: a block holds whole structures in shared memory. */
bool wl__can_chunks(const struct wl__problem *p);
wl_error wl__run_chunks(const struct wl__problem *p);
/* interleave_wide.cu: tiles of 32 structures and 32 fields. */
wl_error wl__run_wide(const struct wl__problem *p);

#endif
