/* For tests of kernels that other movers have: the mover of small arrays would take most of their problems.
 */
#ifndef WIDELOAD_TESTS_WITHOUT_SMALL_H
#define WIDELOAD_TESTS_WITHOUT_SMALL_H

#include "lib/context.h"

static inline void leave_out_small(wl_context *of) {
    static struct wl__tuned tuned;
    tuned = *of->tuned;
    tuned.small.first[0] = tuned.small.first[1] = UINT32_MAX; /* four seconds */
    of->tuned = &tuned;
}

#endif
