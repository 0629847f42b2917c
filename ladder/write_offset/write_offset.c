/* write-offset: ladder/write_offset/write_offset.cu, and the library's own kernel. */
#include "ladder/realign.h"
#include "ladder/tables.h"
#include "ladder/unroll.h"
#include "lib/slots.h"

#define BLOCK 512

/* The number of elements whose shifted index is inside. */
static uint64_t count_of(const struct wl_problem *problem) {
    return problem->offset < problem->n ? problem->n - problem->offset : 0;
}

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(3 * 4, count_of(problem));
}

/* each: elements per thread. */
static wl_error launch(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                       wl__kernel kernel, unsigned each) {
    uint64_t count = count_of(problem), offset = problem->offset, first;
    if (count == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 3, 1, false, wl__multiply(3 * 4, problem->n));
    if (error)
        return error;
    wl_devptr out = problem->out[0], a = problem->in[0], b = problem->in[1];
    struct wl__block block = wl__block_linear(problem, BLOCK);
    void *arguments[] = {&out, &a, &b, &count, &offset, &first};
    return wl__launch_linear(context, kernel, count, (uint64_t)block.x * each, block, arguments, &first,
                             stream);
}

static wl_error plain(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct wl__unrolled kernels = WL_UNROLLED(write_offset_plain, write_offset);
    unsigned each;
    wl__kernel kernel;
    wl_error error = wl__unroll(problem, &kernels, &kernel, &each);
    return error ? error : launch(context, problem, stream, kernel, each);
}

static wl_error unroll2(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_write_offset_unroll2, 2);
}

static wl_error unroll4(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return launch(context, problem, stream, WL_KERNEL_write_offset_unroll4, 4);
}

static wl_error realigned(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t count = count_of(problem);
    if (count == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 3, 1, false, wl__multiply(3 * 4, problem->n));
    if (error)
        return error;
    wl_devptr shift = 4 * problem->offset;
    return wl__realign_launch(context, WL_KERNEL_write_offset_realigned, problem->out[0] + shift,
                              problem->in[0], problem->in[1], count, wl__block_linear(problem, BLOCK),
                              stream);
}

static wl_error wideload(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t count = count_of(problem);
    if (count == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 3, 1, true, wl__multiply(3 * 4, problem->n));
    wl_devptr shift = 4 * problem->offset;
    return error ? error
                 : wl_add(context, WL_TYPE_F32, problem->out[0] + shift, problem->in[0], problem->in[1],
                          count, stream);
}

#define RUNG(title, text, accesses, function)                                                                \
    {                                                                                                        \
        .experiment = "write-offset", .name = title, .idea = text, .reference = WL_REF_WRITE_OFFSET,         \
        .outputs = 1, .block_x = BLOCK, .block_y = 1, .bytes_formula = "3 * 4 * max(n - offset, 0)",         \
        .bytes = bytes, .unrolls = accesses, .applicable = wl__block_applicable, .launch = function          \
    }

static const struct wl_rung rungs[] = {
    RUNG("plain", "one element a thread; a shifted warp writes two sectors in part", WL_UNROLL_ALL, plain),
    RUNG("unroll2", "two elements a thread: more loads in flight", 0, unroll2),
    RUNG("unroll4", "four elements a thread", 0, unroll4),
    RUNG("realigned", "aligned 16-byte loads and stores, the elements shifted in registers", 0, realigned),
    {.experiment = "write-offset",
     .name = "wideload",
     .idea = "wl_add: all loads of both inputs under way before the first is shifted",
     .reference = WL_REF_WRITE_OFFSET,
     .outputs = 1,
     .block_x = WL__SLOTS_THREADS,
     .block_y = 1,
     .fixed_block = true,
     .bytes_formula = "3 * 4 * max(n - offset, 0)",
     .bytes = bytes,
     .launch = wideload},
};

const struct wl__rungs wl__ladder_write_offset = WL_RUNGS(rungs);
