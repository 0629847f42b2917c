#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files/operations.h"
#include "cli/files/session.h"

static bool check_inputs(const struct files_session *session, bool structure, struct base_error *error) {
    const struct files_input *first = &session->inputs[0];
    if (!files_inputs_check_shapes(session, error))
        return false;
    for (size_t i = 1; i < session->input_count; i++) {
        const struct files_input *input = &session->inputs[i];
        if (!structure && !npy_dtype_same(&input->array.dtype, &first->array.dtype))
            return base_failure(error,
                                "%.300s has the type %.60s, but %.300s has %.60s; --fields makes a structure "
                                "of them",
                                first->path, first->array.dtype.text, input->path, input->array.dtype.text);
    }
    return structure || first->array.rank < NPY_MOST_DIMENSIONS ||
           base_failure(error, "%.400s has %d dimensions already", first->path, NPY_MOST_DIMENSIONS);
}

/* A name as a Python string, in the quotes that Python's repr() takes. */
static void put_name(FILE *file, const char *name, size_t length) {
    const char quote = memchr(name, '\'', length) && !memchr(name, '"', length) ? '"' : '\'';
    fputc(quote, file);
    for (size_t i = 0; i < length; i++) {
        if (name[i] == quote || name[i] == '\\')
            fputc('\\', file);
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            fprintf(file, "\\x%02x", (unsigned char)name[i]);
        else
            fputc(name[i], file);
    }
    fputc(quote, file);
}

/* The structure's type as text, to be freed: [('x', '<f4'), ('y', '<i2')]. */
static char *make_type(const struct files_session *session, const char *fields, struct base_error *error) {
    char *text = NULL;
    size_t size, count = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        base_failure(error, "out of memory");
        return NULL;
    }
    const char *at = fields;
    bool more = true;
    while (more) {
        size_t length = strcspn(at, ",");
        fputs(count ? ", (" : "[(", file);
        put_name(file, at, length);
        if (count < session->input_count)
            fprintf(file, ", %s)", session->inputs[count].array.dtype.text);
        count++;
        more = at[length];
        at += length + 1;
    }
    fputc(']', file);
    bool good = !fclose(file) || base_failure(error, "out of memory");
    if (good && count != session->input_count)
        good = base_usage(error, "--fields: %zu names for %zu arrays; give one for each", count,
                          session->input_count);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

/* What the written type's text is read as; it tells whether the names are distinct and the structure not too
 * large. */
static bool check_type(const char *type, struct base_error *error) {
    struct npy_literals literals;
    struct npy_dtype dtype;
    struct base_error reason;
    bool good = npy_literals_parse(&literals, type, strlen(type), &reason);
    if (good) {
        good = npy_dtype_read(&dtype, &literals, &literals.items[0], &reason);
        if (good)
            npy_dtype_free(&dtype);
        npy_literals_free(&literals);
    }
    return good || base_usage(error, "--fields: in the structure %s", reason.text);
}

static bool begin_output(struct files_session *session, const char *to, const char *fields,
                         struct base_error *error) {
    const struct npy_array *first = &session->inputs[0].array;
    uint64_t shape[NPY_MOST_DIMENSIONS], bytes = 0;
    unsigned rank = first->rank;
    memcpy(shape, first->shape, sizeof shape);
    if (!fields)
        shape[rank++] = session->input_count;
    for (size_t i = 0; i < session->input_count; i++)
        if (__builtin_add_overflow(bytes, session->inputs[i].array.bytes, &bytes) || bytes > INT64_MAX / 2)
            return base_failure(error, "%.400s would have more bytes than any file can hold", to);
    char *type = fields ? make_type(session, fields, error) : strdup(first->dtype.text);
    if (!type)
        return fields ? false : base_failure(error, "out of memory");
    bool good = (!fields || check_type(type, error)) && files_outputs_check(session, &to, 1, error) &&
                files_output_begin(session, to, type, rank, shape, bytes, error);
    free(type);
    return good;
}

static bool interleave(struct files_session *session, const char *to, const char *fields,
                       struct files_job *job, struct base_error *error) {
    const struct npy_array *first = &session->inputs[0].array;
    size_t count = session->input_count;
    uint64_t record = 0;
    if (!check_inputs(session, fields, error) || !begin_output(session, to, fields, error))
        return false;
    job->from_count = job->piece_count = count;
    job->to_count = 1;
    job->space.rank = first->rank;
    memcpy(job->space.size, first->shape, sizeof job->space.size);
    job->ends = calloc(count + 1, sizeof *job->ends);
    job->pieces = calloc(count, sizeof *job->pieces);
    if (!job->ends || !job->pieces)
        return base_failure(error, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const struct npy_array *array = &session->inputs[i].array;
        job->ends[i] = files_input_end(session, i);
        npy_array_strides(array, array->dtype.bytes, job->ends[i].view.stride);
        job->pieces[i] = (struct files_piece){
            .from = (unsigned)i, .to = (unsigned)count, .to_offset = record, .bytes = array->dtype.bytes};
        record += array->dtype.bytes;
    }
    job->ends[count] = files_output_end(session, 0, record);
    files_dense_strides(&job->space, record, job->ends[count].view.stride);
    return files_session_finish(session, job, error);
}

bool files_interleave(const char *const *from, size_t count, const char *to, const char *fields,
                      uint64_t memory, struct base_error *error) {
    struct files_session session;
    struct files_job job = {.space.rank = 0};
    bool good = files_session_open(&session, "interleave", memory, from, count, error) &&
                interleave(&session, to, fields, &job, error);
    free(job.ends);
    free(job.pieces);
    files_session_close(&session);
    return good;
}
