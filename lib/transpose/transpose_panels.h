/* What transpose_panels.cu is told: for the kernel, and for the library, which fills it. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_PANELS_H
#define WIDELOAD_KERNELS_TRANSPOSE_PANELS_H

#include "lib/transpose/transpose_tiles.h"

/* Matrices whose output is one run of memory: a block takes columns of one matrix, all rows of them, or some
 * whole matrices that follow each other in the output. */
struct wl_transpose_panels {
    wl_source from, end; /* the first matrix, and behind the last's last element: nothing else is read */
    wl_target to;
    uint64_t batch;
    uint64_t from_pitch, from_stride, to_pitch,
        to_stride; /* bytes from a row to the next, from a matrix to the next */
    uint32_t rows, cols;
    uint32_t panel_cols;         /* of a block's matrices */
    uint32_t together;           /* matrices a block; 1 where panels are parts of them */
    struct wl_divisor by_panels; /* of a matrix */
    uint32_t pitch, stride; /* in shared memory, elements from a row to the next, from a matrix to the next */
    uint32_t row_vectors;   /* that a row's window may have, a power of two */
    uint32_t row_stores;    /* whole vectors of a row of the output, where there are gaps between rows */
    uint32_t apart;         /* vectors of the output from a warp's first lanes to its next ones */
    uint32_t by_matrix,
        by_rows; /* ceil(2^32 / n), n a matrix' elements and rows; the first 0 for one matrix */
};

#endif
