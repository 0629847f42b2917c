#include <stdlib.h>

#include "cli/files/operations.h"
#include "cli/files/session.h"

bool files_axes_parse(struct files_axes *axes, const char *text, struct base_error *error) {
    *axes = (struct files_axes){0};
    for (const char *at = text; *at; at++) {
        char *end;
        /* strtoll() also takes spaces and a plus. */
        bool is_number = (*at >= '0' && *at <= '9') || (*at == '-' && at[1] >= '0' && at[1] <= '9');
        long long axis = is_number ? strtoll(at, &end, 10) : 0;
        if (!is_number || (*end && (*end != ',' || !end[1])))
            return base_usage(error, "--axes: '%.80s' is no list of dimensions; give numbers such as 0,2,1",
                              text);
        if (axes->count == NPY_MOST_DIMENSIONS)
            return base_usage(error, "--axes: '%.80s' has more than %d dimensions", text,
                              NPY_MOST_DIMENSIONS);
        axes->axis[axes->count++] = axis;
        at = *end ? end : end - 1;
    }
    return true;
}

/* Finds each output dimension's input dimension. */
static bool resolve_axes(const struct files_input *input, const struct files_axes *axes, unsigned *order,
                         struct base_error *error) {
    const struct npy_array *array = &input->array;
    bool used[NPY_MOST_DIMENSIONS] = {false};
    char shape[NPY_SHAPE_TEXT];
    npy_shape_text(array, shape);
    if (axes && axes->count != array->rank)
        return base_usage(error, "--axes: %u given, but %.400s has %u dimensions: %s", axes->count,
                          input->path, array->rank, shape);
    for (unsigned i = 0; i < array->rank; i++) {
        int64_t rank = array->rank, axis = axes ? axes->axis[i] : rank - 1 - i;
        if (axis < -rank || axis >= rank)
            return base_usage(
                error,
                "--axes: %lld is none of the dimensions of %.400s, %s: give each of 0 to %lld, or "
                "-%lld to -1, once",
                (long long)axis, input->path, shape, (long long)rank - 1, (long long)rank);
        order[i] = (unsigned)(axis < 0 ? axis + rank : axis);
        if (used[order[i]])
            return base_usage(error, "--axes: dimension %u is given twice; give each of 0 to %lld once",
                              order[i], (long long)rank - 1);
        used[order[i]] = true;
    }
    return true;
}

static bool permute(struct files_session *session, const char *to, const struct files_axes *axes,
                    struct base_error *error) {
    const struct npy_array *array = &session->inputs[0].array;
    unsigned order[NPY_MOST_DIMENSIONS];
    uint64_t strides[NPY_MOST_DIMENSIONS];
    struct files_job job = {.space = {.rank = array->rank}, .from_count = 1, .to_count = 1, .piece_count = 1};
    if (!resolve_axes(&session->inputs[0], axes, order, error))
        return false;
    for (unsigned d = 0; d < array->rank; d++)
        job.space.size[d] = array->shape[order[d]];
    if (!files_outputs_check(session, &to, 1, error) ||
        !files_output_begin(session, to, array->dtype.text, array->rank, job.space.size, array->bytes, error))
        return false;
    struct files_end ends[2] = {files_input_end(session, 0),
                                files_output_end(session, 0, array->dtype.bytes)};
    struct files_piece piece = {.from = 0, .to = 1, .bytes = array->dtype.bytes};
    npy_array_strides(array, array->dtype.bytes, strides);
    for (unsigned d = 0; d < array->rank; d++)
        ends[0].view.stride[d] = strides[order[d]];
    files_dense_strides(&job.space, array->dtype.bytes, ends[1].view.stride);
    job.ends = ends;
    job.pieces = &piece;
    return files_session_finish(session, &job, error);
}

bool files_permute(const char *command, const char *from, const char *to, const struct files_axes *axes,
                   uint64_t memory, struct base_error *error) {
    struct files_session session;
    bool good =
        files_session_open(&session, command, memory, &from, 1, error) && permute(&session, to, axes, error);
    files_session_close(&session);
    return good;
}
