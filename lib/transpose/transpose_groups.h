/* The parameters of transpose_group_panels.cu and transpose_group_pieces.cu, for the kernels, and for the
 * library, which fills them. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_GROUPS_H
#define WIDELOAD_KERNELS_TRANSPOSE_GROUPS_H

#include "lib/transpose/transpose_panels.h"

/* How lanes share a block's bytes.  A unit is four columns, a step four rows of them.  A lane's task is
 * `steps` consecutive steps of a unit; 2^beside lanes have such tasks of the same unit, one below the other,
 * then come those of the next unit. */
struct wl_group_lanes {
    uint32_t tasks, steps, beside;
    struct wl_divisor by_units;
};

/* The image begins at `image` bytes of shared memory, a multiple of 16. */
struct wl_transpose_group_panels {
    struct wl_transpose_panels panels;
    struct wl_group_lanes lanes;
    uint32_t image;
    struct wl_divisor of_matrix; /* units of a matrix */
    struct wl_batch batch;
};

/* The rows of two tasks of a unit lie tile_pad bytes further apart than others.  Columns of the image are
 * `pitch` bytes apart. */
struct wl_transpose_group_pieces {
    struct wl_transpose_tiles tiles;
    struct wl_group_lanes lanes;
    uint32_t image, pitch;        /* multiples of 16 */
    struct wl_divisor by_vectors; /* of a column in a tile */
};

#endif
