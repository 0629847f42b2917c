/* Transposes for other operations of the library. */
#ifndef WIDELOAD_LIB_TRANSPOSE_H
#define WIDELOAD_LIB_TRANSPOSE_H

#include <stdbool.h>

#include "lib/context.h"
#include "lib/transpose/batch.h"

/* wl_transpose_batched() without its checks.  No 0 in the layout stands for a default; strides between
 * matrices do not count if there is one.  They may also be such that rows of several matrices lie between
 * each other, as long as no two elements of `to` have one place.  The batch has `digits`, or none: NULL. */
wl_error wl__transpose_any(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                           const wl_transpose_layout *layout, const struct wl__digits *digits,
                           wl_stream stream);

/* The cost (lib/mover.h) beside the tiles of wl_permute(), for a batch whose matrices lie between each other
 * or that has digits. */
double wl__transpose_cost(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                          const wl_transpose_layout *layout, const struct wl__digits *digits);

#endif
