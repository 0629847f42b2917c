/* How lanes share a block's bytes in transpose_group_panels.cu and transpose_group_pieces.cu. */
#ifndef WIDELOAD_LIB_GROUPS_H
#define WIDELOAD_LIB_GROUPS_H

#include "lib/transpose/transpose_groups.h"

/* A block's bytes in shared memory: distances in bytes as they are loaded, and in the image of the output. */
struct wl__groups {
    uint32_t threads;
    uint32_t units, of_matrix; /* of four columns: all, and those of a matrix */
    uint32_t length;           /* steps of four rows that a unit has */
    uint32_t row;              /* from one row to the next, as loaded */
    uint32_t matrix;           /* from one matrix to the next, as loaded */
    uint32_t column;           /* from one column to the next, in the image */
    uint32_t matrix_cols;      /* columns of a matrix, which follow each other in the image */
    uint32_t pad;              /* between the rows of two tasks, as loaded */
    uint32_t aligned, even;    /* 1: rows begin at words, as loaded; columns do in the image.  0: not all */
};

/* Chooses how many lanes take tasks, and of what size, so that there are few bank conflicts and few idle
 * lanes. A thread keeps its last choice, as programs move one shape many times. */
void wl__groups_share(const struct wl__groups *groups, struct wl_group_lanes *lanes);

#endif
