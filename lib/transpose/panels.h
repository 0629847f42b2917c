/* Transposes of small matrices, and of columns of larger ones that have few rows:
 * lib/transpose/transpose_panels.cu. */
#ifndef WIDELOAD_LIB_PANELS_H
#define WIDELOAD_LIB_PANELS_H

#include "lib/context.h"
#include "lib/transpose/batch.h"
#include "lib/transpose/transpose_panels.h"

/* A layout cut into panels. */
struct wl__panels {
    bool gaps;              /* between rows of the output, or between small matrices of it */
    bool bulk;              /* panels are contiguous in the input too */
    uint32_t cols;          /* per panel */
    uint32_t together;      /* matrices per block */
    uint32_t pitch, stride; /* in shared memory: bytes from row to row, and from matrix to matrix */
    uint32_t bytes;         /* of a block's elements */
    uint32_t shared;        /* that they take, gaps included */
    uint32_t image;  /* where an image of the output begins in it, for transpose_group_panels.cu; 0: none */
    uint32_t places; /* where a table of places begins in it (WL_PLACES); 0: none */
    bool tall;       /* for that, of many rows: more threads */
};

/* Whole matrices, which bulk copies can load, and of which two blocks fit a multiprocessor.  The layout is
 * complete: no 0 stands for a default. */
bool wl__panels_matrices(const wl_context *context, unsigned width, const wl_transpose_layout *layout,
                         struct wl__panels *out);
/* Columns. */
bool wl__panels_columns(const wl_context *context, unsigned width, const wl_transpose_layout *layout,
                        struct wl__panels *out);
/* to[b][c][r] = from[b][r][c]; addresses are multiples of width.  With digits, a panel has one matrix and an
 * image, and there are fewer than 2^31 panels. */
wl_error wl__panels_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, const struct wl__digits *digits,
                              const struct wl__panels *panels, wl_stream stream);

#endif
