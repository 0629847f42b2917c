/* Lays out a tile in shared memory so that banks differ both for the threads that fill it in the input's
 * order and for those that empty it in the output's. */
#ifndef WIDELOAD_LIB_PERMUTE_LAYOUT_H
#define WIDELOAD_LIB_PERMUTE_LAYOUT_H

#include "lib/permute/permute.h"
#include "lib/permute/permute_shape.h"

/* A tile as one side sees it. */
struct wl__permute_view {
    bool by_out, shifted;
    unsigned merged; /* leading dimensions that accesses treat as one row */
    uint64_t length; /* elements of such a row */
};

/* A tile's memory has the order of one side, whose accesses may then run through several dimensions.  The
 * padding that makes both sides' banks differ is found by search. */
struct wl__permute_layout {
    struct wl__permute_view in, out;
    unsigned in_cut, out_cut;    /* bytes; 0: none */
    uint64_t pitch[WL_RANK_MAX]; /* elements */
    uint64_t elements;
};

/* One of the nested loops over a side's accesses. */
struct wl__permute_axis {
    uint64_t count, shared, global; /* bytes */
    uint64_t begin;                 /* elements along a shifted row */
};

/* Lays out a tile of these extents of the arrays at `to` and `from`.  in_wave and out_wave: wavefronts per
 * warp's access to each side. */
void wl__permute_lay_out(struct wl__permute_layout *best, const struct wl__permute_shape *shape,
                         const uint64_t *extent, uint64_t to, uint64_t from, unsigned *in_wave,
                         unsigned *out_wave);

/* Lists the axes of a side in its array's order, the first counted in accesses.  A first axis of more than
 * `cut` bytes is cut there if possible, and its rest comes last: a warp's lanes then span several rows, whose
 * banks differ where those along a row are some words apart. */
#define WL_PERMUTE_AXES (WL_RANK_MAX + 1)
unsigned wl__permute_axes(struct wl__permute_axis *axis, const struct wl__permute_shape *shape,
                          const uint64_t *extent, const uint64_t *pitch, const struct wl__permute_view *view,
                          unsigned cut);

#endif
