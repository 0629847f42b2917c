/* The parameter of interleave_wide.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_INTERLEAVE_WIDE_H
#define WIDELOAD_KERNELS_INTERLEAVE_WIDE_H

#include <stdint.h>

/* Fields that one launch moves; structures may have more. */
#define WL_WIDE_STREAMS 256
/* Structures, and fields, per tile of a block. */
#define WL_WIDE_TILE 32
/* Threads of a block in y; each moves every WL_WIDE_ROWS-th row of a tile. */
#define WL_WIDE_ROWS 8

struct wl_wide_shape {
    uint64_t n;      /* structures */
    uint64_t packed; /* address of the first moved field of the first structure */
    uint64_t pitch;  /* bytes from one structure to the next */
    uint32_t fields; /* that are moved */
    uint32_t tiles;  /* of fields: ceil(fields / WL_WIDE_TILE) */
    uint64_t streams[WL_WIDE_STREAMS];
};

#endif
