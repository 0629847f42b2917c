/* For tests of kernels that other movers have: the mover of small arrays would take most of their problems,
 * and transposes many permutations. */
#ifndef WIDELOAD_TESTS_WITHOUT_SMALL_H
#define WIDELOAD_TESTS_WITHOUT_SMALL_H

#include <string.h>

#include "lib/context.h"

/* Returns the context's own copy of what is tuned, which a test may change further. */
static inline struct wl__tuned *leave_out_small(wl_context *of) {
    static struct wl__tuned tuned;
    tuned = *of->tuned;
    tuned.small.first[0] = tuned.small.first[1] = UINT32_MAX; /* four seconds */
    tuned.permute.small_tile = tuned.permute.rows_tile = tuned.permute.cached = 0;
    tuned.transpose.batches.small = 0;
    memset(tuned.permute.strips.small_array, 0, sizeof(tuned.permute.strips.small_array));
    tuned.transpose.async_small = tuned.transpose.pieces.torn_small = 0;
    of->tuned = &tuned;
    return &tuned;
}

/* The same, and no permutation is a batch of several dimensions. */
static inline void leave_out_batches(wl_context *of) {
    static struct wl__tuned tuned;
    tuned = *of->tuned;
    struct wl__tuned_batches *batches = &tuned.transpose.batches;
    batches->panel = batches->windows.row = batches->windows.short_row = WL_NEVER;
    batches->slots_full = batches->torn[0].full = batches->torn[1].full = 101;
    for (unsigned i = 0; i < 5; i++)
        batches->full[i] = 101;
    of->tuned = &tuned;
}

#endif
