/* Copies of rows: for wl_copy_2d, and for permutations that keep the last dimension in place. */
#ifndef WIDELOAD_LIB_ROWS_H
#define WIDELOAD_LIB_ROWS_H

#include "lib/choice.h"
#include "lib/copy/rows_parameters.h"

/* Accesses that one launch may number, or bytes if it numbers bytes: with a block's at the end, less than
 * 2^32. */
#define WL_ITEMS_LIMIT (((uint64_t)1 << 32) - ((uint64_t)1 << 16))

/* Rows of row_bytes bytes, at to + sum of index[i] * outer[i].to_pitch for all indices below the sizes, and
 * likewise in `from`; outer[0] changes fastest.  Pitches are in bytes and arbitrary.  No two rows of `to`
 * share a byte, and none shares one with `from`. */
struct wl__rows {
    wl_devptr to, from;
    uint64_t row_bytes;
    unsigned rank;
    struct wl__rows_dimension {
        uint64_t size, to_pitch, from_pitch;
    } outer[WL_ROWS_RANK];
};

/* Drops dimensions of one element and joins those that are contiguous on both sides, also into longer rows.
 * Sizes and row_bytes are not 0. */
void wl__rows_join(struct wl__rows *rows);

/* Copies joined rows.  Fills in the choice's mover and reason (lib/mover.h). */
wl_error wl__rows_move(wl_context *context, struct wl__choice *choice, const struct wl__rows *rows,
                       wl_stream stream);

#endif
