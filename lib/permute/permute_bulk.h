/* Tiles that bulk copies fill: how they are cut and laid out.  Pure, as permute_plan.h. */
#ifndef WIDELOAD_LIB_PERMUTE_BULK_H
#define WIDELOAD_LIB_PERMUTE_BULK_H

#include <stdbool.h>

#include "lib/permute/permute.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

struct wl__permute_bulk_plan {
    struct wl_permute_bulk bulk;
    unsigned unit;                /* bytes that elements are moved by */
    unsigned threads, memory;     /* a block's */
    unsigned cluster;             /* blocks that should run at the same time, side by side */
    uint64_t extent[WL_RANK_MAX]; /* of a tile in each dimension */
    uint64_t step[WL_RANK_MAX]; /* from a tile to the next: less where tiles share what is within a sector */
};

/* A plan of tiles of these extents; false where there is none.  Not for shapes whose last dimension keeps its
 * place, unless its rows are a few dozen bytes: they are moved as one element, and its extent does not
 * matter. The output's first `joined` dimensions are taken as one, whose extent is the last of the extents.
 */
bool wl__permute_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                      const struct wl__permute_shape *shape, unsigned joined, const uint64_t *extent,
                      uint64_t to, uint64_t from);

/* The plan of the least estimated cost; false where these tiles are not.  shifted: other tiles would have
 * rows that begin within 16 bytes. */
bool wl__permute_plan_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                           const struct wl__permute_shape *shape, uint64_t to, uint64_t from, bool shifted);

#endif
