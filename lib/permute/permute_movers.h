/* Movers of permutations that have a file of their own. */
#ifndef WIDELOAD_LIB_PERMUTE_MOVERS_H
#define WIDELOAD_LIB_PERMUTE_MOVERS_H

#include "lib/mover.h"
#include "lib/permute/permute_shape.h"

/* permute_few.cu: up to 8 rows, or columns, that are whole vectors on the other side. */
bool wl__permute_can_few(const struct wl__permute_shape *shape, wl_devptr to, wl_devptr from);
/* Where it can. */
double wl__permute_cost_few(const wl_context *context, const struct wl__permute_shape *shape);
wl_error wl__permute_run_few(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                             wl_devptr from, wl_stream stream);

#endif
