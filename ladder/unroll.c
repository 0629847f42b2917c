#include "ladder/unroll.h"

#include "lib/error.h"

wl_error wl__unroll(const struct wl_problem *problem, const struct wl__unrolled *kernels, wl__kernel *kernel,
                    unsigned *accesses) {
    unsigned wanted = problem->unroll ? problem->unroll : 1;
    for (unsigned i = 0; i < sizeof kernels->of / sizeof *kernels->of; i++)
        if (wanted == 1u << i) {
            *kernel = kernels->of[i];
            *accesses = wanted;
            return WL_ERROR_OK;
        }
    return wl__fail(WL_ERROR_NOT_APPLICABLE, "%u accesses per thread: there are kernels of 1, 2, 4 and 8",
                    wanted);
}
