/* transpose-inplace: a matrix becomes its transpose in its own memory. */
#include "ladder/library/library.h"

#define FORMULA "2 * width * rows * cols"

/* The least traffic is one read and one write, however often an algorithm passes over the matrix. */
static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    size_t bytes;
    wl_error error =
        wl_transpose_inplace_workspace(context, problem->width, problem->rows, problem->cols, &bytes);
    return error ? error
                 : wl_transpose_inplace(context, problem->width, problem->out[0], problem->rows,
                                        problem->cols, problem->work, bytes, stream);
}

static uint64_t work_bytes(wl_context *context, const struct wl_problem *problem) {
    size_t bytes = 0;
    if (wl_transpose_inplace_workspace(context, problem->width, problem->rows, problem->cols, &bytes))
        return 0; /* the launch reports why */
    return bytes;
}

static wl_error prepare(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wl__memcpy_launch(context, problem, stream);
}

static const struct wl_rung rungs[] = {
    {WL_LIBRARY_RUNG("transpose-inplace", "wl_transpose_inplace, in the matrix's own memory",
                     WL_REF_TRANSPOSE_ANY, FORMULA, transpose),
     .work_bytes = work_bytes, .prepare = prepare},
    {WL_MEMCPY_RUNG("transpose-inplace", FORMULA)},
};

const struct wl__rungs wl__ladder_transpose_inplace = WL_RUNGS(rungs);
