/* add: ladder/add/add.cu, and the library's own kernel. */
#include "ladder/tables.h"
#include "ladder/unroll.h"
#include "lib/slots.h"

#define BLOCK 128

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(3 * 4, problem->n);
}

static wl_error one_element(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 3, 1, false, bytes(problem));
    if (error)
        return error;
    wl_devptr c = problem->out[0], a = problem->in[0], b = problem->in[1];
    uint64_t n = problem->n, first;
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&c, &a, &b, &n, &first};
    return wl__launch_linear(context, WL_KERNEL_add_scalar, n, block.x, block, arguments, &first, stream);
}

/* width elements per access, unroll accesses per thread to each array. */
static wl_error wide(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                     wl__kernel kernel, unsigned width, unsigned unroll, unsigned default_block) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 3, 1, false, bytes(problem));
    if (error)
        return error;
    wl_devptr arrays[] = {problem->out[0], problem->in[0], problem->in[1]};
    uint64_t n = problem->n, first;
    struct wl__cut cut = wl__cut(arrays, 3, n, width);
    struct wl__block block = wl__block_linear(problem, default_block);
    void *arguments[] = {&arrays[0], &arrays[1], &arrays[2], &n, &cut.head, &cut.vectors, &first};
    return wl__launch_linear(context, kernel, wl__cut_threads(&cut, n), (uint64_t)block.x * unroll, block,
                             arguments, &first, stream);
}

static wl_error unrolled(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                         const struct wl__unrolled *kernels, unsigned width, unsigned default_block) {
    unsigned unroll;
    wl__kernel kernel;
    wl_error error = wl__unroll(problem, kernels, &kernel, &unroll);
    return error ? error : wide(context, problem, stream, kernel, width, unroll, default_block);
}

/* The scalar kernel takes no cut into vectors. */
static wl_error scalar(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct wl__unrolled kernels = WL_UNROLLED(add_scalar, add_scalar);
    return problem->unroll <= 1 ? one_element(context, problem, stream)
                                : unrolled(context, problem, stream, &kernels, 1, BLOCK);
}

static const struct wl__unrolled vec4 = WL_UNROLLED(add_vec4, add_vec4);

static wl_error vec4_block(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return unrolled(context, problem, stream, &vec4, 4, BLOCK / 4);
}

static wl_error vec4_grid(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return unrolled(context, problem, stream, &vec4, 4, BLOCK);
}

static wl_error vec4_unroll2(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wide(context, problem, stream, WL_KERNEL_add_vec4_unroll2, 4, 2, BLOCK);
}

static wl_error wideload(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 3, 1, true, bytes(problem));
    return error ? error
                 : wl_add(context, WL_TYPE_F32, problem->out[0], problem->in[0], problem->in[1], problem->n,
                          stream);
}

#define RUNG(title, text, threads, accesses, function)                                                       \
    {                                                                                                        \
        .experiment = "add", .name = title, .idea = text, .reference = WL_REF_ADD, .outputs = 1,             \
        .block_x = threads, .block_y = 1, .bytes_formula = "3 * 4 * n", .bytes = bytes, .unrolls = accesses, \
        .applicable = wl__block_applicable, .launch = function                                               \
    }

static const struct wl_rung rungs[] = {
    RUNG("scalar", "one 4-byte element a thread", BLOCK, WL_UNROLL_ALL, scalar),
    RUNG("vec4-block", "16-byte accesses, the block shrunk to a quarter", BLOCK / 4, WL_UNROLL_ALL,
         vec4_block),
    RUNG("vec4-grid", "16-byte accesses, the grid shrunk to a quarter instead", BLOCK, WL_UNROLL_ALL,
         vec4_grid),
    RUNG("vec4-unroll2", "two 16-byte loads of each array in flight a thread", BLOCK, 0, vec4_unroll2),
    {.experiment = "add",
     .name = "wideload",
     .idea = "wl_add: of any type, each array at any alignment",
     .reference = WL_REF_ADD,
     .outputs = 1,
     .block_x = WL__SLOTS_THREADS,
     .block_y = 1,
     .fixed_block = true,
     .bytes_formula = "3 * 4 * n",
     .bytes = bytes,
     .launch = wideload},
};

const struct wl__rungs wl__ladder_add = WL_RUNGS(rungs);
