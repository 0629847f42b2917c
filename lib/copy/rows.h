/* Copies of rows: what wl_copy_2d comes down to, and permutations that leave the last dimension in place. */
#ifndef WIDELOAD_LIB_ROWS_H
#define WIDELOAD_LIB_ROWS_H

#include "lib/context.h"
#include "lib/copy/rows_parameters.h"

/* Rows of row_bytes bytes, at to + sum of index[i] * outer[i].to_pitch for all indices below the sizes, and
 * the like in `from`; outer[0] changes fastest.  Pitches are in bytes and any; no two rows of `to` share a
 * byte, none shares one with `from`. */
struct wl__rows {
    wl_devptr to, from;
    uint64_t row_bytes;
    unsigned rank;
    struct wl__rows_dimension {
        uint64_t size, to_pitch, from_pitch;
    } outer[WL_ROWS_RANK];
};

/* One way to copy rows.  A kernel takes `word` bytes an access, and cuts what is left at either end of a row
 * into parts of `part` bytes, to multiples of which both sides' addresses and the rows' length must be. */
struct wl__rows_way {
    const char *name, *why;
    unsigned part, word, each; /* each: accesses a thread */
    uint64_t shortest;         /* bytes of a row that it is meant for */
    wl__kernel kernel;
};

/* Drops dimensions of one element and joins those that lie side by side on both sides, to longer rows too.
 * Sizes and row_bytes are not 0. */
void wl__rows_join(struct wl__rows *rows);

/* The way for joined rows. */
const struct wl__rows_way *wl__rows_way(const struct wl__rows *rows);

/* Launches it. */
wl_error wl__rows_launch(wl_context *context, const struct wl__rows_way *way, const struct wl__rows *rows,
                         wl_stream stream);

#endif
