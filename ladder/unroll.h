/* Kernels with 1, 2, 4 or 8 accesses per thread; a problem's `unroll` selects one. */
#ifndef WIDELOAD_LIB_UNROLL_H
#define WIDELOAD_LIB_UNROLL_H

#include "ladder/problem.h"

/* wl_rung's `unrolls` for a rung that has them all. */
#define WL_UNROLL_ALL (1 + 2 + 4 + 8)

struct wl__unrolled {
    wl__kernel of[4]; /* with 1, 2, 4 and 8 accesses */
};

/* `one` is the kernel with one access; `kernel`_unroll2 and so on are the others. */
#define WL_UNROLLED(one, kernel)                                                                             \
    {                                                                                                        \
        {                                                                                                    \
            WL_KERNEL_##one, WL_KERNEL_##kernel##_unroll2, WL_KERNEL_##kernel##_unroll4,                     \
                WL_KERNEL_##kernel##_unroll8                                                                 \
        }                                                                                                    \
    }

/* Returns the kernel for the problem's unroll, by default the one with one access, and its accesses. */
wl_error wl__unroll(const struct wl_problem *problem, const struct wl__unrolled *kernels, wl__kernel *kernel,
                    unsigned *accesses);

#endif
