/* wl_permute: dimensions in any order. */
#include <stdbool.h>
#include <string.h>

#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/error.h"
#include "lib/launch.h"
#include "lib/permute_plan.h"

static const char call[] = "wl_permute";

/* A problem that the checks have passed. */
struct problem {
    wl_context *context;
    wl_devptr to, from;
    wl_stream stream;
    const struct wl__permute_shape *shape;
};

/* ---------------------------------------------------------------- the strategies */

/* The bytes keep their order. */
static bool is_copy(const struct problem *p) {
    return p->shape->rank <= 1;
}

static wl_error copy(const struct problem *p) {
    uint64_t bytes = p->shape->width * (p->shape->rank ? p->shape->dim[0].size : 1);
    return wl_copy(p->context, p->to, p->from, bytes, p->stream);
}

/* Two dimensions change places, within each of a third or not. */
static bool is_transpose(const struct problem *p) {
    const struct wl__permute_shape *shape = p->shape;
    return shape->by_out[0] == 1 && (shape->rank == 2 || (shape->rank == 3 && shape->by_out[2] == 2));
}

static wl_error transpose(const struct problem *p) {
    const struct wl__permute_shape *shape = p->shape;
    const wl_transpose_layout layout = {.rows = shape->dim[1].size,
                                        .cols = shape->dim[0].size,
                                        .batch = shape->rank == 3 ? shape->dim[2].size : 1};
    return wl_transpose_batched(p->context, shape->width, p->to, p->from, &layout, p->stream);
}

/* One launch of a plan; the blocks take tile after tile. */
static wl_error launch(const struct problem *p, enum wl__kernel kernel, struct wl__permute_plan *plan) {
    void *arguments[] = {&plan->tiles};
    return wl__launch_shared(p->context, kernel, wl__permute_blocks(plan), 1,
                             (struct wl__block){plan->threads, 1}, plan->memory, arguments, p->stream);
}
