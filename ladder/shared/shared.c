/* shared: ladder/shared/shared.cu. */
#include "ladder/tables.h"

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(2 * 4, problem->n);
}

/* One block per tile of 32 x height elements. */
static wl_error launch(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                       wl__kernel kernel, uint32_t height) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, true, bytes(problem));
    if (error)
        return error;
    wl_devptr out = problem->out[0], in = problem->in[0];
    uint64_t n = problem->n, first;
    struct wl__block block = {32, height};
    void *arguments[] = {&out, &in, &n, &first};
    return wl__launch_linear(context, kernel, n, 32 * height, block, arguments, &first, stream);
}

static wl_error row_row(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_shared_row_row, 32);
}

static wl_error row_col(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_shared_row_col, 32);
}

static wl_error row_col_pad(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_shared_row_col_pad, 32);
}

static wl_error rect_row_col(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_shared_rect_row_col, 16);
}

static wl_error rect_row_col_pad(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_shared_rect_row_col_pad, 16);
}

#define RUNG(title, text, what, height, function)                                                            \
    {                                                                                                        \
        .experiment = "shared", .name = title, .idea = text, .reference = what, .outputs = 1, .block_x = 32, \
        .block_y = height, .fixed_block = true, .bytes_formula = "2 * 4 * n", .bytes = bytes,                \
        .launch = function                                                                                   \
    }

static const struct wl_rung rungs[] = {
    RUNG("row-row", "32 x 32 tile, stored and read along rows", WL_REF_TILE_COPY, 32, row_row),
    RUNG("row-col", "read along columns: 32 words in one bank", WL_REF_TILE_32x32, 32, row_col),
    RUNG("row-col-pad", "rows of 33 words: a column in 32 banks", WL_REF_TILE_32x32, 32, row_col_pad),
    RUNG("rect-row-col", "16 x 32 tile read along columns: 16 words in one bank", WL_REF_TILE_32x16, 16,
         rect_row_col),
    RUNG("rect-row-col-pad", "rows of 34 words: two columns in the even and the odd banks", WL_REF_TILE_32x16,
         16, rect_row_col_pad),
};

const struct wl__rungs wl__ladder_shared = WL_RUNGS(rungs);
