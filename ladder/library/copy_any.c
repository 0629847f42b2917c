/* copy-any: bytes from any address to any address. */
#include "ladder/library/library.h"

/* Both rungs move the same bytes between the same addresses. */
static wl_error copy(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wl_copy(context, problem->out[0] + problem->to_shift, problem->in[0] + problem->from_shift,
                   problem->n, stream);
}

static wl_error driver(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wl__memcpy_bytes(context, problem->out[0] + problem->to_shift,
                            problem->in[0] + problem->from_shift, problem->n, stream);
}

static const struct wl_rung rungs[] = {
    {WL_LIBRARY_RUNG("copy-any", "wl_copy: aligned stores, the bytes shifted into place in registers",
                     WL_REF_COPY_BYTES, "2 * n", copy)},
    {.experiment = "copy-any",
     .name = "memcpy",
     .idea = "the driver's copy between the same addresses (cuMemcpyDtoDAsync)",
     .library = "CUDA driver",
     .reference = WL_REF_COPY_BYTES,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * n",
     .bytes = wl__library_bytes,
     .launch = driver},
};

const struct wl__rungs wl__ladder_copy_any = WL_RUNGS(rungs);
