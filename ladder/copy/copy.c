/* copy: ladder/copy/copy.cu, the library's own kernel and the driver's copy. */
#include "ladder/tables.h"
#include "ladder/unroll.h"
#include "lib/slots.h"

#define BLOCK 128

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(2 * 4, problem->n);
}

static wl_error one_element(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, false, bytes(problem));
    if (error)
        return error;
    wl_devptr out = problem->out[0], in = problem->in[0];
    uint64_t n = problem->n, first;
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&out, &in, &n, &first};
    return wl__launch_linear(context, WL_KERNEL_copy_scalar, n, block.x, block, arguments, &first, stream);
}

/* width elements per access, unroll accesses per thread. */
static wl_error wide(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                     wl__kernel kernel, unsigned width, unsigned unroll) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, false, bytes(problem));
    if (error)
        return error;
    wl_devptr arrays[] = {problem->out[0], problem->in[0]};
    uint64_t n = problem->n, first;
    struct wl__cut cut = wl__cut(arrays, 2, n, width);
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&arrays[0], &arrays[1], &n, &cut.head, &cut.vectors, &first};
    return wl__launch_linear(context, kernel, wl__cut_threads(&cut, n), (uint64_t)block.x * unroll, block,
                             arguments, &first, stream);
}

static wl_error unrolled(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                         const struct wl__unrolled *kernels, unsigned width) {
    unsigned unroll;
    wl__kernel kernel;
    wl_error error = wl__unroll(problem, kernels, &kernel, &unroll);
    return error ? error : wide(context, problem, stream, kernel, width, unroll);
}

/* The scalar kernel takes no cut into vectors. */
static wl_error scalar(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct wl__unrolled kernels = WL_UNROLLED(copy_scalar, copy_scalar);
    return problem->unroll <= 1 ? one_element(context, problem, stream)
                                : unrolled(context, problem, stream, &kernels, 1);
}

static wl_error vec2(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct wl__unrolled kernels = WL_UNROLLED(copy_vec2, copy_vec2);
    return unrolled(context, problem, stream, &kernels, 2);
}

static wl_error vec4(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct wl__unrolled kernels = WL_UNROLLED(copy_vec4, copy_vec4);
    return unrolled(context, problem, stream, &kernels, 4);
}

static wl_error vec4_unroll4(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wide(context, problem, stream, WL_KERNEL_copy_vec4_unroll4, 4, 4);
}

static wl_error wideload(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, true, bytes(problem));
    return error ? error : wl_copy(context, problem->out[0], problem->in[0], 4 * problem->n, stream);
}

static wl_error driver(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, true, bytes(problem));
    if (error)
        return error;
    error = wl__enter(context);
    if (error)
        return error;
    const struct wl__driver *cuda = &context->driver;
    error = wl__driver_check(cuda,
                             cuda->cuMemcpyDtoDAsync(problem->out[0], problem->in[0], 4 * problem->n, stream),
                             "cuMemcpyDtoDAsync");
    wl__leave(context);
    return error;
}

#define RUNG(title, text, accesses, function)                                                                \
    {                                                                                                        \
        .experiment = "copy", .name = title, .idea = text, .reference = WL_REF_COPY, .outputs = 1,           \
        .block_x = BLOCK, .block_y = 1, .bytes_formula = "2 * 4 * n", .bytes = bytes, .unrolls = accesses,   \
        .applicable = wl__block_applicable, .launch = function                                               \
    }

static const struct wl_rung rungs[] = {
    RUNG("scalar", "one 4-byte element a thread", WL_UNROLL_ALL, scalar),
    RUNG("vec2", "8-byte accesses: half the instructions", WL_UNROLL_ALL, vec2),
    RUNG("vec4", "16-byte accesses: a quarter", WL_UNROLL_ALL, vec4),
    RUNG("vec4-unroll4", "four 16-byte loads in flight before the first store", 0, vec4_unroll4),
    {.experiment = "copy",
     .name = "wideload",
     .idea = "wl_copy: at any byte alignment of either side",
     .reference = WL_REF_COPY,
     .outputs = 1,
     .block_x = WL__SLOTS_THREADS,
     .block_y = 1,
     .fixed_block = true,
     .bytes_formula = "2 * 4 * n",
     .bytes = bytes,
     .launch = wideload},
    {.experiment = "copy",
     .name = "driver",
     .idea = "the driver's own copy (cuMemcpyDtoDAsync)",
     .library = "CUDA driver",
     .reference = WL_REF_COPY,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * 4 * n",
     .bytes = bytes,
     .launch = driver},
};

const struct wl__rungs wl__ladder_copy = WL_RUNGS(rungs);
