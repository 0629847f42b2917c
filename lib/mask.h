/* Kernels that are left out of every choice, to see what the others do without them.  Only builds with
 * WL_MASKS have this (tests/speed/mover_gains.c, tests/lib/test_floors.c): in the library each WL_MASKED() is
 * false, and costs nothing.
 *
 * A function that chooses among kernels skips masked ones.  A launch of one fails with WL_ERROR_MASKED, and
 * wl__move() continues with the next cheapest mover. */
#ifndef WIDELOAD_LIB_MASK_H
#define WIDELOAD_LIB_MASK_H

#include <stdbool.h>

#include "lib/kernels.h"

#define WL_ERROR_MASKED ((wl_error)-1)

#ifdef WL_MASKS
extern bool wl__masks[WL_KERNEL_COUNT];
extern bool wl__launched[WL_KERNEL_COUNT]; /* since the caller cleared it */
/* The row of a call's table that may be picked, or one of these (lib/mover.c).  A mover's own choices are
 * free. */
#define WL_ONLY_ANY   (-1)
#define WL_ONLY_FLOOR (-2)
extern int wl__only;
#define WL_MASKED(kernel) (wl__masks[kernel])
#define WL_NOTE(kernel)   (wl__launched[kernel] = true)
#define WL_MASKING        true
#else
#define WL_MASKED(kernel) ((void)(kernel), false)
#define WL_NOTE(kernel)   ((void)(kernel))
#define WL_MASKING        false
#endif

#endif
