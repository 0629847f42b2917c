/* Kernels of 1, 2, 4 or 8 accesses a thread, of which a problem's `unroll` chooses one. */
#ifndef WIDELOAD_LIB_UNROLL_H
#define WIDELOAD_LIB_UNROLL_H

#include "ladder/problem.h"

/* wl_rung's `unrolls` of a rung that has them all. */
#define WL_UNROLL_ALL (1 + 2 + 4 + 8)

struct wl__unrolled {
    wl__kernel of[4]; /* of 1, 2, 4 and 8 accesses */
};

/* `one` is the kernel of one access, `kernel`_unroll2 and so on are the others. */
#define WL_UNROLLED(one, kernel)                                                                             \
    {                                                                                                        \
        {                                                                                                    \
            WL_KERNEL_##one, WL_KERNEL_##kernel##_unroll2, WL_KERNEL_##kernel##_unroll4,                     \
                WL_KERNEL_##kernel##_unroll8                                                                 \
        }                                                                                                    \
    }

/* The kernel that the problem asks for, that of one access where it asks for none, and its accesses. */
wl_error wl__unroll(const struct wl_problem *problem, const struct wl__unrolled *kernels, wl__kernel *kernel,
                    unsigned *accesses);

#endif
