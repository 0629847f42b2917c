/* Permutations of rows that stay together, through tiles of rows. */
#ifndef WIDELOAD_LIB_PERMUTE_STRIPS_H
#define WIDELOAD_LIB_PERMUTE_STRIPS_H

#include <stdbool.h>

#include "lib/permute/permute.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

struct wl__permute_strips_plan {
    struct wl_permute_strips strips;
    unsigned threads, memory; /* per block */
    unsigned cluster;         /* neighbouring blocks that should run at the same time */
};

/* False if these tiles do not suit the shape.  Its last dimension must keep its place. */
bool wl__permute_plan_strips(const struct wl__tuned_permute *tuned, struct wl__permute_strips_plan *plan,
                             const struct wl__permute_shape *shape, uint64_t to, uint64_t from);

#endif
