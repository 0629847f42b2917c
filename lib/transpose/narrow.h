/* Transposes of matrices that have few columns, or few rows: one pass over a contiguous stream of small
 * structures on one side and over as many plain streams on the other.  Both sides move in whole sectors.
 * wl_deinterleave and wl_interleave are the same, with an address per stream. */
#ifndef WIDELOAD_LIB_NARROW_H
#define WIDELOAD_LIB_NARROW_H

#include "lib/context.h"
#include "lib/transpose/batch.h"

/* Whether wl__narrow_transpose() can do it.  The layout is complete: no 0 stands for a default.
 *
 * Either the input has 2 to WL_STREAMS_MAX columns, and its rows are contiguous (from_ld == cols; to_ld may
 * be anything), or the input has as many rows and the output's are contiguous (to_ld == rows; from_ld may be
 * anything).  Strides of batches may be anything. */
bool wl__narrow_can(const wl_transpose_layout *layout);

/* Whether it beats tiles: columns or rows count as few, and it is not a batch of tiny matrices, for which
 * most of a block would be idle. */
bool wl__narrow_fits(const struct wl__tuned_narrow *tuned, unsigned width, const wl_transpose_layout *layout);

/* to[b][c][r] = from[b][r][c], also of a batch in several dimensions.  wl__narrow_can() must take the layout,
 * which is not empty; arguments have been checked; addresses are multiples of width.  The caller records the
 * choice. */
wl_error wl__narrow_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, const struct wl__digits *digits,
                              wl_stream stream);

#endif
