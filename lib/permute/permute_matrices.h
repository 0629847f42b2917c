/* Permutations that transpose small matrices and move them: lib/permute/permute_matrices.cu. */
#ifndef WIDELOAD_LIB_PERMUTE_MATRICES_H
#define WIDELOAD_LIB_PERMUTE_MATRICES_H

#include <stdbool.h>

#include "lib/permute/permute.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

struct wl__permute_matrices_plan {
    struct wl_permute_matrices matrices;
    unsigned width;  /* bytes per element */
    unsigned memory; /* per block */
    unsigned blocks; /* most that should run on a multiprocessor */
};

#define WL__PERMUTE_MATRICES_THREADS 256

/* Whether the shape's last two dimensions change places with each other, others move, and such a matrix fits
 * a block. */
bool wl__permute_is_matrices(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape);
/* Plans for such a shape. */
void wl__permute_plan_matrices(const struct wl__tuned_permute *tuned, struct wl__permute_matrices_plan *plan,
                               const struct wl__permute_shape *shape, uint64_t from);

#endif
