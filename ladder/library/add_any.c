/* add-any: sums of any type, of arrays that begin at any element. */
#include "ladder/library/library.h"

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(3, wl__multiply(problem->n, problem->width));
}

static wl_error add(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t width = problem->width;
    return wl_add(context, problem->type, problem->out[0] + width * problem->to_shift,
                  problem->in[0] + width * problem->from_shift, problem->in[1], problem->n, stream);
}

static const struct wl_rung rungs[] = {
    {.experiment = "add-any",
     .name = "wideload",
     .idea = "wl_add: 16 bytes of each array at a time, whatever their type and alignment",
     .reference = WL_REF_ADD_TYPE,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "3 * width * n",
     .bytes = bytes,
     .launch = add},
};

const struct wl__rungs wl__ladder_add_any = WL_RUNGS(rungs);
