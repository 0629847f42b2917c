/* deinterleave and interleave: arrays of structures to structures of arrays, and back. */
#include "ladder/library/library.h"

#define FORMULA "n * (structure + its fields)"

/* The addresses of the fields' arrays.  A call reads this list before it returns. */
static void arrays_of(const struct wl_problem *problem, wl_devptr base, wl_devptr *arrays) {
    uint64_t place = 0;
    for (uint32_t f = 0; f < wl__field_count(problem); f++) {
        arrays[f] = base + place;
        place += (problem->n * wl__field_bytes(problem, f) + 255) / 256 * 256;
    }
}

static wl_error deinterleave(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    wl_devptr arrays[WL_LADDER_FIELDS];
    const struct wl_structure *structure = problem->structure;
    arrays_of(problem, problem->out[0], arrays);
    if (structure)
        return wl_deinterleave_fields(context, structure->fields, structure->count, structure->bytes, arrays,
                                      problem->in[0], problem->n, stream);
    return wl_deinterleave(context, problem->width, problem->fields, arrays, problem->in[0], problem->n,
                           stream);
}

static wl_error interleave(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    wl_devptr arrays[WL_LADDER_FIELDS];
    const struct wl_structure *structure = problem->structure;
    arrays_of(problem, problem->in[0], arrays);
    if (structure)
        return wl_interleave_fields(context, structure->fields, structure->count, structure->bytes,
                                    problem->out[0], arrays, problem->n, stream);
    return wl_interleave(context, problem->width, problem->fields, problem->out[0], arrays, problem->n,
                         stream);
}

static const struct wl_rung apart[] = {
    {WL_LIBRARY_RUNG("deinterleave", "wl_deinterleave, and wl_deinterleave_fields for structures",
                     WL_REF_DEINTERLEAVE, FORMULA, deinterleave)},
    {WL_MEMCPY_RUNG("deinterleave", FORMULA)},
};

static const struct wl_rung together[] = {
    {WL_LIBRARY_RUNG("interleave", "wl_interleave, and wl_interleave_fields for structures",
                     WL_REF_INTERLEAVE, FORMULA, interleave)},
    {WL_MEMCPY_RUNG("interleave", FORMULA)},
};

const struct wl__rungs wl__ladder_deinterleave = WL_RUNGS(apart);
const struct wl__rungs wl__ladder_interleave = WL_RUNGS(together);
