#include <string.h>

#include "cli/files/operations.h"
#include "cli/files/session.h"

static bool check_inputs(const struct files_session *session, struct base_error *error) {
    const struct npy_array *a = &session->inputs[0].array, *b = &session->inputs[1].array;
    for (size_t i = 0; i < 2; i++) {
        const struct npy_dtype *dtype = &session->inputs[i].array.dtype;
        if (!dtype->can_add)
            return base_failure(error,
                                "%.300s: elements of type %.60s are not added; integers, floats and complex "
                                "numbers in little-endian order are, of up to 64 bits each",
                                session->inputs[i].path, dtype->text);
    }
    if (!files_inputs_check_shapes(session, error))
        return false;
    return (a->dtype.type == b->dtype.type && a->dtype.parts == b->dtype.parts) ||
           base_failure(error, "%.300s has the type %.60s, but %.300s has %.60s", session->inputs[0].path,
                        a->dtype.text, session->inputs[1].path, b->dtype.text);
}

static bool add(struct files_session *session, const char *to, struct base_error *error) {
    const struct npy_array *array = &session->inputs[0].array;
    uint64_t record = array->dtype.bytes;
    if (!check_inputs(session, error) || !files_outputs_check(session, &to, 1, error) ||
        !files_output_begin(session, to, array->dtype.text, array->rank, array->shape, array->bytes, error))
        return false;
    /* The second written end is none: it has the second input in the output's order, for the sum. */
    struct files_end ends[4] = {files_input_end(session, 0), files_input_end(session, 1),
                                files_output_end(session, 0, record)};
    struct files_piece pieces[2] = {{.from = 0, .to = 2, .bytes = record},
                                    {.from = 1, .to = 3, .bytes = record}};
    struct files_job job = {.space = {.rank = array->rank},
                            .ends = ends,
                            .from_count = 2,
                            .to_count = 2,
                            .pieces = pieces,
                            .piece_count = 2,
                            .adds = true,
                            .type = array->dtype.type,
                            .parts = array->dtype.parts};
    memcpy(job.space.size, array->shape, sizeof job.space.size);
    for (size_t i = 0; i < 2; i++)
        npy_array_strides(&session->inputs[i].array, record, ends[i].view.stride);
    files_dense_strides(&job.space, record, ends[2].view.stride);
    ends[3] = ends[2];
    ends[3].file = -1;
    return files_session_finish(session, &job, error);
}

bool files_add(const char *a, const char *b, const char *to, uint64_t memory, struct base_error *error) {
    const char *paths[2] = {a, b};
    struct files_session session;
    bool good = files_session_open(&session, "add", memory, paths, 2, error) && add(&session, to, error);
    files_session_close(&session);
    return good;
}
