/* A permutation of dimensions, made as small as it is. */
#ifndef WIDELOAD_LIB_PERMUTE_SHAPE_H
#define WIDELOAD_LIB_PERMUTE_SHAPE_H

#include <stdbool.h>

#include "wideload.h"

/* A permutation without what does not matter: no dimension of size 1, no two that stay neighbours, and where
 * the last keeps its place, elements as wide as it and the addresses allow. */
struct wl__permute_shape {
    unsigned width, rank;
    struct {
        uint64_t size;
        uint64_t in, out;         /* strides, in elements */
    } dim[WL_RANK_MAX];           /* the input's order, its last (stride 1) first */
    unsigned by_out[WL_RANK_MAX]; /* dim's indices in the output's order, its last first */
};

/* sizes and order as wl_permute has them, all sizes at least 1. */
void wl__permute_reduce(struct wl__permute_shape *shape, unsigned width, uint64_t to, uint64_t from,
                        unsigned rank, const uint64_t *sizes, const unsigned *order);

/* The index in `dim` of the i-th dimension of the output's order, or the input's, the last dimension first.
 */
static inline unsigned wl__permute_dim(const struct wl__permute_shape *shape, bool by_out, unsigned i) {
    return by_out ? shape->by_out[i] : i;
}

static inline uint64_t wl__divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

#endif
