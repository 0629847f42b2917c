#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files/operations.h"
#include "cli/files/session.h"

/* What is split: a structure into its fields, or a plain array along its last dimension. */
struct split {
    const struct npy_array *array;
    size_t count;                   /* of outputs */
    const struct npy_field *fields; /* NULL: plain */
    char **paths;                   /* one per output */
};

static bool count_outputs(struct split *split, const struct files_input *input, struct base_error *error) {
    const struct npy_array *array = &input->array;
    split->array = array;
    split->fields = array->dtype.kind ? NULL : array->dtype.fields;
    if (!split->fields && !array->rank)
        return base_failure(error, "%.400s: it is a single element of type %.60s, which has no parts",
                            input->path, array->dtype.text);
    uint64_t count = split->fields ? array->dtype.field_count : array->shape[array->rank - 1];
    if (!count)
        return base_failure(error, "%.400s: its %s is empty, so there is nothing to write", input->path,
                            split->fields ? "structure" : "last dimension");
    if (count > FILES_MOST_FILES)
        return base_failure(error, "%.400s: its %s would make %llu files; at most %d are written",
                            input->path, split->fields ? "structure" : "last dimension",
                            (unsigned long long)count, FILES_MOST_FILES);
    split->count = (size_t)count;
    return true;
}

/* "a/points.npy" -> "a/points.x.npy", "a/points.y.npy" */
static bool name_outputs(struct split *split, const char *from, const char *prefix,
                         struct base_error *error) {
    size_t length = strlen(prefix ? prefix : from);
    if (!prefix && length > 4 && strcmp(from + length - 4, ".npy") == 0)
        length -= 4;
    split->paths = calloc(split->count, sizeof *split->paths);
    if (!split->paths)
        return base_failure(error, "out of memory");
    for (size_t i = 0; i < split->count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        const char *name = split->fields ? split->fields[i].name : number;
        if (strchr(name, '/'))
            return base_failure(error, "%.300s: its field '%.80s' cannot be part of a file's name", from,
                                name);
        if (asprintf(&split->paths[i], "%.*s.%s.npy", (int)length, prefix ? prefix : from, name) < 0) {
            split->paths[i] = NULL;
            return base_failure(error, "out of memory");
        }
    }
    return true;
}

static bool begin_outputs(struct files_session *session, const struct split *split,
                          struct base_error *error) {
    const struct npy_array *array = split->array;
    uint64_t shape[2 * NPY_MOST_DIMENSIONS];
    if (!files_outputs_check(session, (const char *const *)split->paths, split->count, error))
        return false;
    memcpy(shape, array->shape, array->rank * sizeof *shape);
    for (size_t i = 0; i < split->count; i++) {
        const struct npy_field *field = split->fields ? &split->fields[i] : NULL;
        unsigned rank = field ? array->rank + field->rank : array->rank - 1;
        uint64_t bytes = field ? array->elements * field->bytes : array->bytes / split->count;
        if (rank > NPY_MOST_DIMENSIONS)
            return base_failure(error,
                                "%.300s: with those of its field '%.80s' it has %u dimensions; at most %d",
                                session->inputs[0].path, field ? field->name : "", rank, NPY_MOST_DIMENSIONS);
        if (field)
            memcpy(shape + array->rank, field->shape, field->rank * sizeof *shape);
        if (!files_output_begin(session, split->paths[i], field ? field->text : array->dtype.text, rank,
                                shape, bytes, error))
            return false;
    }
    return true;
}

/* In Fortran order the last dimension's items lie one after another, each an array of its own: then each is
 * an end. */
static bool is_apart(const struct split *split) {
    return !split->fields && split->array->fortran && split->array->rank > 1;
}

static bool fill_in(const struct files_session *session, const struct split *split, struct files_job *job,
                    struct base_error *error) {
    const struct npy_array *array = split->array;
    uint64_t strides[NPY_MOST_DIMENSIONS], item = array->dtype.bytes;
    bool apart = is_apart(split);
    job->from_count = apart ? split->count : 1;
    job->to_count = job->piece_count = split->count;
    job->space.rank = split->fields ? array->rank : array->rank - 1;
    memcpy(job->space.size, array->shape, job->space.rank * sizeof *job->space.size);
    job->ends = calloc(job->from_count + job->to_count, sizeof *job->ends);
    job->pieces = calloc(split->count, sizeof *job->pieces);
    if (!job->ends || !job->pieces)
        return base_failure(error, "out of memory");
    npy_array_strides(array, item, strides);
    for (size_t i = 0; i < job->from_count; i++) {
        job->ends[i] = files_input_end(session, 0);
        memcpy(job->ends[i].view.stride, strides, job->space.rank * sizeof *strides);
        if (apart)
            job->ends[i].view.offset += i * strides[array->rank - 1];
        else if (!split->fields)
            job->ends[i].view.record = item * split->count;
    }
    for (size_t i = 0; i < split->count; i++) {
        uint64_t bytes = split->fields ? split->fields[i].bytes : item;
        uint64_t offset = split->fields ? split->fields[i].offset : apart ? 0 : i * item;
        struct files_end *end = &job->ends[job->from_count + i];
        *end = files_output_end(session, i, bytes);
        files_dense_strides(&job->space, bytes, end->view.stride);
        job->pieces[i] = (struct files_piece){.from = apart ? (unsigned)i : 0,
                                              .to = (unsigned)(job->from_count + i),
                                              .from_offset = offset,
                                              .bytes = bytes};
    }
    return true;
}

bool files_deinterleave(const char *from, const char *prefix, uint64_t memory, struct base_error *error) {
    struct files_session session;
    struct split split = {0};
    struct files_job job = {.space.rank = 0};
    bool good = files_session_open(&session, "deinterleave", memory, &from, 1, error) &&
                count_outputs(&split, &session.inputs[0], error) &&
                name_outputs(&split, from, prefix, error) && begin_outputs(&session, &split, error) &&
                fill_in(&session, &split, &job, error) && files_session_finish(&session, &job, error);
    for (size_t i = 0; split.paths && i < split.count; i++)
        free(split.paths[i]);
    free(split.paths);
    free(job.ends);
    free(job.pieces);
    files_session_close(&session);
    return good;
}
