/* stride: ladder/stride/stride.cu. */
#include "ladder/tables.h"
#include "lib/error.h"

#define BLOCK 256

/* The number of elements whose strided index is inside; the launch refuses a stride of 0. */
static uint64_t count_of(const struct wl_problem *problem) {
    return problem->stride ? problem->n / problem->stride + (problem->n % problem->stride != 0) : 0;
}

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(2 * 4, count_of(problem));
}

static wl_error launch(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                       wl__kernel kernel) {
    if (problem->stride == 0)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "a stride of 0: it must be 1 or more");
    uint64_t count = count_of(problem), stride = problem->stride, first;
    if (count == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, false, wl__multiply(2 * 4, problem->n));
    if (error)
        return error;
    wl_devptr out = problem->out[0], in = problem->in[0];
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&out, &in, &count, &stride, &first};
    return wl__launch_linear(context, kernel, count, block.x, block, arguments, &first, stream);
}

static wl_error load(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_stride_load);
}

static wl_error store(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_stride_store);
}

#define RUNG(title, text, what, function)                                                                    \
    {                                                                                                        \
        .experiment = "stride", .name = title, .idea = text, .reference = what, .outputs = 1,                \
        .block_x = BLOCK, .block_y = 1, .bytes_formula = "2 * 4 * ceil(n / stride)", .bytes = bytes,         \
        .applicable = wl__block_applicable, .launch = function                                               \
    }

static const struct wl_rung rungs[] = {
    RUNG("load", "loads stride elements apart, dense stores", WL_REF_STRIDE_LOAD, load),
    RUNG("store", "dense loads, stores stride elements apart", WL_REF_STRIDE_STORE, store),
};

const struct wl__rungs wl__ladder_stride = WL_RUNGS(rungs);
