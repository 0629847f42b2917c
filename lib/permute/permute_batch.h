/* A permutation as a batch of transposes: the last dimensions of both arrays change places, and all others
 * are the batch's. */
#ifndef WIDELOAD_LIB_PERMUTE_BATCH_H
#define WIDELOAD_LIB_PERMUTE_BATCH_H

#include "lib/permute/permute_shape.h"
#include "lib/transpose/batch.h"

/* False if the last dimension keeps its place, or a batch of several dimensions may need more blocks than a
 * launch can have. */
bool wl__permute_as_batch(const struct wl__permute_shape *shape, wl_transpose_layout *layout,
                          struct wl__digits *digits);

#endif
