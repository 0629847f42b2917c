/* Redistributions over several devices: what the files of this folder share.
 *
 * A rank's device stores what other ranks want into their memory ("pushes"), in a stream that has some of its
 * multiprocessors.  So only those wait for the link, and the rank's own part, in another stream, has the
 * others. */
#ifndef WIDELOAD_LIB_REDISTRIBUTE_H
#define WIDELOAD_LIB_REDISTRIBUTE_H

#include "lib/context.h"
#include "lib/copy/strided.h"
#include "lib/processors.h"

/* What a plan is made of, as the caller says it. */
struct wl__request {
    const char *call;
    unsigned ranks, dimensions;
    wl_context *const *contexts;
    size_t element_bytes;
    const uint64_t *sizes;
    const wl_box *from, *to;
};

struct wl__exchange;

/* ---------------------------------------------------------------- boxes (boxes.c) */

bool wl__box_is_empty(const wl_box *box, unsigned dimensions);
/* Elements in the dimensions from `first` on. */
uint64_t wl__box_volume(const wl_box *box, unsigned first, unsigned dimensions);
/* What two boxes share, with the order of `b`; false if that is nothing. */
bool wl__box_meet(wl_box *out, const wl_box *a, const wl_box *b, unsigned dimensions);
/* Each dimension's stride in memory, in bytes. */
void wl__box_strides(const wl_box *box, unsigned dimensions, uint64_t element_bytes,
                     uint64_t strides[WL_RANK_MAX]);

/* ---------------------------------------------------------------- the plan */

/* What one rank sends to another, or to itself. */
struct wl__piece {
    unsigned from, to;      /* ranks */
    unsigned lane;          /* the stream that it takes */
    unsigned turn;          /* in this order they are launched */
    struct wl__strided all; /* reduced; its addresses are relative to the ranks' arrays */
};

/* A rank's streams.  WL__LANE_CALLER, the caller's stream, is taken by the own part of a rank that sends
 * nothing. */
enum wl__lane { WL__LANE_PUSH, WL__LANE_OWN, WL__LANES, WL__LANE_CALLER = WL__LANES };

struct wl__member {
    wl_context *context;
    uint64_t from_bytes, to_bytes;
    char from_name[24], to_name[24]; /* "from[3]" */
    unsigned sends, receives;        /* to and from so many other ranks */
    CUstream lanes[WL__LANES];       /* of a rank that sends */
    const struct wl__parts *parts;   /* the multiprocessors that lanes have; NULL: all have all */
    /* begun: the caller's stream is at the call.  done: a lane is behind its pieces. */
    CUevent begun, done[WL__LANES];
};

struct wl_redistribution {
    struct wl__exchange *exchange; /* of a plan between processes (exchange.h); else NULL */
    unsigned ranks, dimensions;    /* all ranks; between processes 1, this one */
    size_t element_bytes;
    bool host;         /* all ranks are on the host device */
    uint64_t crossing; /* bytes that ranks send to other ranks */
    struct wl__member *members;
    bool *sends; /* [from * ranks + to]: to another rank */
    struct wl__piece *pieces;
    size_t count, room; /* pieces, and how many have room */
};

static inline bool wl__sends(const wl_redistribution *plan, unsigned from, unsigned to) {
    return plan->sends[(size_t)from * plan->ranks + to];
}

/* Makes a plan without pieces and streams (plan.c).  The request is checked. */
wl_error wl__new_redistribution(wl_redistribution **out, const struct wl__request *request);
/* Gives boxes `first` to first + count_boxes - 1 of the ranks their slabs of rows, which are dimension `rows`
 * of the matrix: one after the other (plan.c). */
wl_error wl__find_slabs(wl_box *boxes, unsigned first, unsigned count_boxes,
                        const struct wl__request *request, unsigned rows, const uint64_t *counts);

/* Checks everything but the devices, or everything but the contexts (check.c). */
wl_error wl__check_request(const struct wl__request *request);
wl_error wl__check_boxes(const struct wl__request *request);

/* Makes the pieces (pieces.c).  The request is checked. */
wl_error wl__make_pieces(wl_redistribution *plan, const struct wl__request *request);
/* The copy of what one rank sends to another, reduced; its addresses are relative to the ranks' arrays.
 * False: nothing. */
bool wl__piece_between(struct wl__strided *all, const struct wl__request *request, unsigned from,
                       unsigned to);

/* Makes and frees the streams and events of ranks that send or receive; enables peer access (lanes.c). */
wl_error wl__make_lanes(wl_redistribution *plan, const char *call);
void wl__free_lanes(wl_redistribution *plan);
/* All lanes wait for the streams of the ranks that they read from and store to. */
wl_error wl__fork_lanes(wl_redistribution *plan, const wl_stream *streams);
/* All ranks' streams wait for the lanes that read from or store to their arrays.  `error` is what failed
 * before; the join is made even so, and as far as the driver can.  Returns the first error, with its message.
 */
wl_error wl__join_lanes(wl_redistribution *plan, const wl_stream *streams, wl_error error);

#endif
