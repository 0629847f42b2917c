/* transpose-any: one matrix, or a batch of one shape, with elements of any width. */
#include "ladder/library/library.h"

#define FORMULA "2 * width * batch * rows * cols"

static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    const struct wl_transpose_layout layout = {
        .rows = problem->rows, .cols = problem->cols, .batch = problem->batch};
    return wl_transpose_batched(context, problem->width, problem->out[0], problem->in[0], &layout, stream);
}

static const struct wl_rung rungs[] = {
    {WL_LIBRARY_RUNG("transpose-any", "wl_transpose_batched: the kernel that its table names for the shape",
                     WL_REF_TRANSPOSE_ANY, FORMULA, transpose)},
    {WL_MEMCPY_RUNG("transpose-any", FORMULA)},
};

const struct wl__rungs wl__ladder_transpose_any = WL_RUNGS(rungs);
