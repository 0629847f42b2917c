/* The parameters of transpose_panels.cu, for the kernel, and for the library, which fills them. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_PANELS_H
#define WIDELOAD_KERNELS_TRANSPOSE_PANELS_H

#include "lib/transpose/transpose_tiles.h"

/* Columns of few bytes have tables of places, for vectors that begin in any row: where each byte of a vector
 * lies, from the column in which the vector begins.  A lane takes eight places of 16 bits at once, so vectors
 * that begin in row r take them from table r % 8 on, at r / 8. */
#define WL_PLACES_ROWS  16 /* columns have fewer */
#define WL_PLACES_EACH  8
#define WL_PLACES_TABLE 48 /* bytes, of 24 places */
#define WL_PLACES       (WL_PLACES_EACH * WL_PLACES_TABLE)
/* Matrices of fewer bytes have too many vectors that go on in the next matrix; places of more are too far. */
#define WL_PLACES_LEAST 176
#define WL_PLACES_MOST  (1 << 16)

/* Matrices whose output is contiguous.  A block takes all rows of some columns of one matrix, or some whole
 * matrices that are consecutive in the output. */
struct wl_transpose_panels {
    wl_source from, end; /* the first matrix, and the end of the one that lies last: nothing else is read */
    wl_target to;
    uint64_t matrices;
    uint64_t from_pitch, to_pitch;   /* bytes from one row to the next */
    uint64_t from_stride, to_stride; /* bytes from one matrix to the next, by the last digit */
    uint32_t rows, cols;
    uint32_t panel_cols;          /* of a block's matrices */
    uint32_t together;            /* matrices per block; 1 if panels are parts of them */
    struct wl_divisor by_panels;  /* panels per matrix */
    uint32_t pitch, stride;       /* in shared memory, elements from row to row, and from matrix to matrix */
    struct wl_divisor by_vectors; /* that a row's window may have */
    uint32_t row_step;            /* rows that a block's threads load at a time */
    uint32_t row_stores;          /* whole vectors per row of the output, if there are gaps between rows */
    uint32_t apart;               /* vectors of the output from a warp's first lanes to the next ones */
    uint32_t places;              /* where short columns' places lie in shared memory, or 0 */
    uint32_t by_matrix,
        by_rows; /* ceil(2^32 / n), n a matrix' elements and rows; the first 0 for one matrix */
};

#endif
