/* permute: reorders the dimensions of an array. */
#include "ladder/library/library.h"

#define FORMULA "2 * width * n"

static wl_error permute(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wl_permute(context, problem->width, problem->out[0], problem->in[0], problem->rank, problem->sizes,
                      problem->order, stream);
}

static const struct wl_rung rungs[] = {
    {WL_LIBRARY_RUNG("permute", "wl_permute: dimensions merged, and the kernel that suits what is left",
                     WL_REF_PERMUTE, FORMULA, permute)},
    {WL_MEMCPY_RUNG("permute", FORMULA)},
};

const struct wl__rungs wl__ladder_permute = WL_RUNGS(rungs);
