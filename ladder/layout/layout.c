/* layout: ladder/layout/layout.cu. */
#include "ladder/tables.h"

#define BLOCK 128

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(2 * 8, problem->n);
}

static wl_error aos(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, false, bytes(problem));
    if (error)
        return error;
    wl_devptr out = problem->out[0], in = problem->in[0];
    uint64_t n = problem->n, first;
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&out, &in, &n, &first};
    return wl__launch_linear(context, WL_KERNEL_layout_aos, n, block.x, block, arguments, &first, stream);
}

static wl_error aos_vec2(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, false, bytes(problem));
    if (error)
        return error;
    wl_devptr arrays[] = {problem->out[0], problem->in[0]};
    uint64_t floats = 2 * problem->n, first;
    struct wl__cut cut = wl__cut(arrays, 2, floats, 2);
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&arrays[0], &arrays[1], &floats, &cut.head, &cut.vectors, &first};
    return wl__launch_linear(context, WL_KERNEL_layout_aos_vec2, wl__cut_threads(&cut, floats), block.x,
                             block, arguments, &first, stream);
}

static wl_error soa(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->n == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1 << 1 | 1 << 2, 1 << 1 | 1 << 2, false, bytes(problem));
    if (error)
        return error;
    wl_devptr out_x = problem->out[1], out_y = problem->out[2], in_x = problem->in[1], in_y = problem->in[2];
    uint64_t n = problem->n, first;
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&out_x, &out_y, &in_x, &in_y, &n, &first};
    return wl__launch_linear(context, WL_KERNEL_layout_soa, n, block.x, block, arguments, &first, stream);
}

#define RUNG(title, text, what, mask, function)                                                              \
    {                                                                                                        \
        .experiment = "layout", .name = title, .idea = text, .reference = what, .outputs = mask,             \
        .block_x = BLOCK, .block_y = 1, .bytes_formula = "2 * 8 * n", .bytes = bytes,                        \
        .applicable = wl__block_applicable, .launch = function                                               \
    }

static const struct wl_rung rungs[] = {
    RUNG("aos", "array of structures, member by member: every second word", WL_REF_LAYOUT_AOS, 1, aos),
    RUNG("aos-vec2", "one 8-byte access for the whole structure", WL_REF_LAYOUT_AOS, 1, aos_vec2),
    RUNG("soa", "structure of arrays: every access dense", WL_REF_LAYOUT_SOA, 1 << 1 | 1 << 2, soa),
};

const struct wl__rungs wl__ladder_layout = WL_RUNGS(rungs);
