/* Small arrays: dimensions change places in many short blocks, all of which run at once. */
#ifndef WIDELOAD_LIB_SMALL_H
#define WIDELOAD_LIB_SMALL_H

#include "lib/context.h"
#include "lib/permute/permute_shape.h"
#include "lib/small/small_parameters.h"

/* Whether the kernel can move an array of this shape: it counts bytes in 32 bits.  Strides may leave gaps. */
bool wl__small_can(const struct wl__permute_shape *shape);

/* The cost relative to a copy (lib/mover.h), if the others take `others` nanoseconds for their first bytes.
 */
double wl__small_cost(const wl_context *context, const struct wl__permute_shape *shape, uint32_t others);

/* For the kernel's divisions by count (lib/small/small_parameters.h). */
uint32_t wl__small_magic(uint32_t count);

wl_error wl__small_move(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                        wl_devptr from, wl_stream stream);

#endif
