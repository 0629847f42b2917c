/* Transposes for other operations of the library. */
#ifndef WIDELOAD_LIB_TRANSPOSE_H
#define WIDELOAD_LIB_TRANSPOSE_H

#include "lib/context.h"

/* wl_transpose_batched() without its checks.  No 0 in the layout stands for a default; strides between
 * matrices do not count if there is one.  They may also be such that rows of several matrices lie between
 * each other, as long as no two elements of `to` have one place. */
wl_error wl__transpose_any(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                           const wl_transpose_layout *layout, wl_stream stream);

#endif
