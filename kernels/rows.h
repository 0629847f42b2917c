/* What the host tells the kernels of copy_rows.cu: plain C, included by both sides. */
#ifndef WIDELOAD_KERNELS_ROWS_H
#define WIDELOAD_KERNELS_ROWS_H

#include "divisor.h"

#define WL_ROWS_RANK 7

/* Rows of row_bytes bytes lie at to + sum of index[i] * outer[i].to, and the like for from; outer[0] is the
 * dimension that changes fastest.  Each row is cut into `slots` accesses, and items is their number in all
 * rows, less than 2^32 minus what a block takes. */
struct wl_rows {
    uint64_t to, from, row_bytes;
    struct wl_divisor slots;
    uint32_t items, rank;
    uint32_t grain; /* slots are counted in each row from the multiple of this before it: a power of two */
    struct {
        struct wl_divisor size;
        uint64_t to, from;
    } outer[WL_ROWS_RANK];
};

#endif
