/* A permutation of dimensions, reduced. */
#ifndef WIDELOAD_LIB_PERMUTE_SHAPE_H
#define WIDELOAD_LIB_PERMUTE_SHAPE_H

#include <stdbool.h>

#include "lib/divide.h"
#include "wideload.h"

/* A permutation in its simplest form: no dimension has size 1, and no two neighbours stay neighbours.  If the
 * last dimension keeps its place, elements are as wide as it and the addresses allow. */
struct wl__permute_shape {
    unsigned width, rank;
    struct {
        uint64_t size;
        uint64_t in, out;         /* strides, in elements */
    } dim[WL_RANK_MAX];           /* in the input's order, the last (stride 1) first */
    unsigned by_out[WL_RANK_MAX]; /* indices of `dim` in the output's order, the last first */
};

/* sizes and order are as in wl_permute; all sizes are at least 1. */
void wl__permute_reduce(struct wl__permute_shape *shape, unsigned width, uint64_t to, uint64_t from,
                        unsigned rank, const uint64_t *sizes, const unsigned *order);

/* Bytes of each array. */
uint64_t wl__permute_bytes(const struct wl__permute_shape *shape);

/* The index in `dim` of the i-th dimension in the order of the output or the input, the last one first. */
static inline unsigned wl__permute_dim(const struct wl__permute_shape *shape, bool by_out, unsigned i) {
    return by_out ? shape->by_out[i] : i;
}

#endif
