/* Parts of a device's multiprocessors: one for what crosses the link, and the rest for what does not. */
#ifndef WIDELOAD_LIB_PARTS_H
#define WIDELOAD_LIB_PARTS_H

#include "lib/context.h"

/* Multiprocessors that push, if a device has at least twice as many.  Of two H100 over 18 links, 8 store at
 * 0.7 of the link's rate, and 16 at all of it; with 16 and 24, the own part beside them slows them down by 11
 * and 4 %. */
#define WL__PUSH_PROCESSORS 32

enum wl__part { WL__PART_PUSH, WL__PART_REST, WL__PARTS };

/* Both parts, or none: then all are NULL. */
struct wl__parts {
    struct CUgreenCtx_st *of[WL__PARTS];
};

/* The context is current.  Makes none if the device has too few multiprocessors, or the driver cannot. */
void wl__make_parts(struct wl__parts *parts, wl_context *context);
/* No stream of theirs is left. */
void wl__free_parts(struct wl__parts *parts, wl_context *context);

/* A stream that does not wait for the default one, in a part if there are parts. */
wl_error wl__part_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                         wl_context *context, int priority);
/* Frees a stream after its work: CUDA does not say what becomes of work whose part is gone. */
void wl__free_part_stream(CUstream stream, const struct wl__parts *parts, wl_context *context);

#endif
