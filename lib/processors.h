/* Parts of a device's multiprocessors: one for what crosses a link, and the rest for what does not. */
#ifndef WIDELOAD_LIB_PROCESSORS_H
#define WIDELOAD_LIB_PROCESSORS_H

#include "lib/driver.h"

/* Multiprocessors that push, if a device has at least twice as many.  Of two H100 over 18 links, 8 store at
 * 0.7 of the link's rate, and 16 at all of it; with 16 and 24, the own part beside them slows them down by 11
 * and 4 %. */
#define WL__PUSH_PROCESSORS 32

enum wl__part { WL__PART_PUSH, WL__PART_REST, WL__PARTS };

/* Both parts, or none: then all are NULL.  A context has them from its first plan on until it is closed, as
 * the driver does not give all of their memory back: a pair costs 8 MiB (an H100, CUDA 13.0). */
struct wl__parts {
    struct CUgreenCtx_st *of[WL__PARTS];
    unsigned plans; /* that have streams there */
};

/* The context's parts for one more plan, and back.  NULL: the device has too few multiprocessors, or the
 * driver cannot.  The context is current.  Thread-safe. */
const struct wl__parts *wl__take_parts(wl_context *context);
void wl__give_parts(wl_context *context, const struct wl__parts *parts);
/* For wl_close().  Parts in which a plan's work may still be, which could not be ended, are left. */
void wl__free_parts(wl_context *context);

/* A stream that does not wait for the default one, in a part unless `parts` is NULL. */
wl_error wl__part_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                         wl_context *context, int priority);
/* Frees a stream after its work: CUDA does not say what becomes of work whose part is gone. */
void wl__free_part_stream(CUstream stream, const struct wl__parts *parts, wl_context *context);

#endif
