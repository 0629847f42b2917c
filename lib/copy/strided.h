/* Copies between any strides: what wl_copy_strided and the host device share. */
#ifndef WIDELOAD_LIB_STRIDED_H
#define WIDELOAD_LIB_STRIDED_H

#include <stdbool.h>

#include "lib/choice.h"

/* The element at to + sum of index[d] * dim[d].to becomes the one at from + sum of index[d] * dim[d].from,
 * for all indices below the sizes.  All in bytes.  No two elements of `to` share a byte, and none shares one
 * with `from`. */
struct wl__strided {
    wl_devptr to, from;
    uint64_t bytes; /* of an element */
    unsigned rank;
    struct wl__strided_dimension {
        uint64_t size; /* not 0 */
        int64_t to, from;
    } dim[WL_RANK_MAX]; /* reduced: the smallest `to` first */
};

static inline uint64_t wl__stride_size(int64_t stride) {
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* Turns a dimension around: its last element becomes the first. */
void wl__strided_turn(struct wl__strided *all, unsigned d);

/* Brings a problem into its simplest form: no dimension of size 1, all of `to` positive and in ascending
 * order, and dimensions joined that are contiguous on both sides, also into longer elements. */
void wl__strided_reduce(struct wl__strided *all);

/* The dimension in which the input's elements are nearest to each other; 0 if they are all the same. */
unsigned wl__strided_down(const struct wl__strided *all);

/* Copies on a GPU; completes the choice.  The problem is reduced. */
wl_error wl__strided_move(wl_context *context, struct wl__choice *choice, const struct wl__strided *all,
                          wl_stream stream);

#endif
