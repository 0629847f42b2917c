/* Transposes of matrices that have few columns, or few rows: a pass over a contiguous stream of small
 * structures on one side and over as many plain streams on the other, in which every byte of both sides lies
 * in whole sectors.  wl_deinterleave and wl_interleave are the same, with an address a stream. */
#ifndef WIDELOAD_LIB_NARROW_H
#define WIDELOAD_LIB_NARROW_H

#include "lib/context.h"

/* The most columns, or rows, that count as few; and the most where they are no whole number of 16-byte
 * vectors, which square tiles would move by single elements: 7 x 7 pixels, say. */
#define WL_NARROW_LIMIT      32
#define WL_NARROW_LIMIT_TORN 64

/* Whether wl__narrow_transpose() can do it, and does it better than square tiles.  The layout is complete: no
 * 0 stands for a default.
 *
 * Either the input has few columns, at least 2, and its rows lie back to back (from_ld == cols; to_ld may
 * be anything), or the input has as many rows and the output's rows lie back to back (to_ld == rows; from_ld
 * may be anything).  Strides of batches may be anything.  Batches of tiny matrices are refused, for which
 * most of a block would be idle. */
bool wl__narrow_fits(unsigned width, const wl_transpose_layout *layout);

/* to[b][c][r] = from[b][r][c], for a layout that fits and is not empty, and arguments that have been checked;
 * addresses are multiples of width.  The caller says what was chosen. */
wl_error wl__narrow_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, wl_stream stream);

#endif
