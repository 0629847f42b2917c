/* Transposes of matrices that have few columns, or few rows: a pass over a contiguous stream of small
 * structures on one side and over as many plain streams on the other, in which every byte of both sides lies
 * in whole sectors.  wl_deinterleave and wl_interleave are the same, with an address a stream. */
#ifndef WIDELOAD_LIB_NARROW_H
#define WIDELOAD_LIB_NARROW_H

#include "lib/context.h"

/* Whether wl__narrow_transpose() can do it.  The layout is complete: no 0 stands for a default.
 *
 * Either the input has 2 to WL_STREAMS_MAX columns, and its rows are contiguous (from_ld == cols; to_ld may
 * be anything), or the input has as many rows and the output's are contiguous (to_ld == rows; from_ld may be
 * anything).  Strides of batches may be anything. */
bool wl__narrow_can(const wl_transpose_layout *layout);

/* Whether it does that better than tiles: columns or rows that count as few, and no batch of tiny matrices,
 * for which most of a block would be idle. */
bool wl__narrow_fits(const struct wl__tuned_narrow *tuned, unsigned width, const wl_transpose_layout *layout);

/* to[b][c][r] = from[b][r][c], for a layout that wl__narrow_can() takes and that is not empty, and arguments
 * that have been checked; addresses are multiples of width.  The caller says what was chosen. */
wl_error wl__narrow_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, wl_stream stream);

#endif
