/* What the host tells the kernels of copy_rows.cu, copy_dense.cu and copy_seams.cu: plain C that both sides
 * include. */
#ifndef WIDELOAD_KERNELS_ROWS_H
#define WIDELOAD_KERNELS_ROWS_H

#include "lib/cuda/divisor.h"

#define WL_ROWS_RANK 7

/* Rows of row_bytes bytes lie at to + sum of index[i] * outer[i].to, and likewise for from; outer[0] changes
 * fastest.  Each row is cut into `slots` accesses.  items is their number in all rows, less than 2^32 minus
 * what a block takes. */
struct wl_rows {
    uint64_t to, from, row_bytes;
    struct wl_divisor slots;
    uint32_t items, rank;
    uint32_t grain; /* slots are counted in each row from the previous multiple of this, a power of two */
    struct {
        struct wl_divisor size;
        uint64_t to, from;
    } outer[WL_ROWS_RANK];
};

/* Output bytes per block of copy_dense.cu and copy_seams.cu, and the minimum of their rows.  A vector of
 * copy_dense.cu has parts of two rows at most; a warp of copy_seams.cu has 31 rows at most, as it holds the
 * places of 32. */
#define WL_DENSE_BLOCK 2048
#define WL_DENSE_LEAST 16
#define WL_SEAMS_BLOCK 4096
#define WL_SEAMS_LEAST 36

/* The same rows in an output without gaps: bytes [lead, end) from `to` on, which is a multiple of 16. */
struct wl_dense_rows {
    uint64_t to, from;
    uint64_t first; /* the input's first whole aligned vector */
    uint64_t room;  /* two vectors that begin so many bytes after it, or fewer, lie within the input */
    uint32_t lead, end;
    struct wl_divisor row_bytes; /* less than 2^31 */
    uint32_t rank;
    struct {
        struct wl_divisor size;
        uint64_t from;
    } outer[WL_ROWS_RANK];
};

#endif
