#include "cli/files/session.h"

#include "cli/files/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/place.h"
#include "cli/unfinished.h"

_Static_assert((int)FILES_MOST_FILES <= (int)CLI_MOST_UNFINISHED, "the names of all outputs have a place");

/* ---------------------------------------------------------------- memory */

/* A quarter of what there is, and 256 MiB at most: the kernel has to clear more memory than that for longer
 * than longer runs save. */
static uint64_t default_memory(void) {
    uint64_t memory = (uint64_t)1 << 30;
    struct rlimit limit;
    uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (physical && physical < memory)
        memory = physical;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < memory)
        memory = limit.rlim_cur;
    return memory / 4;
}

/* Under `ulimit -v`, address space that is never used counts.  The library's threads move bytes and need
 * little of it: neither 8 MiB of stack each nor heaps of their own. */
static void keep_threads_small(void) {
    pthread_attr_t attributes;
    mallopt(M_ARENA_MAX, 1);
    if (pthread_attr_init(&attributes))
        return;
    if (pthread_attr_setstacksize(&attributes, 1 << 20) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

/* ---------------------------------------------------------------- inputs */

static bool open_input(struct files_input *input, struct base_error *error) {
    struct stat status;
    if (strcmp(input->path, "-") == 0)
        return base_usage(error,
                          "-: an array is not read from first to last, so a pipe is no input; give a file");
    /* O_NONBLOCK: opening a pipe would wait for its writer, only to refuse it. */
    input->file = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (input->file < 0 || fstat(input->file, &status))
        return base_usage(error, "%.400s cannot be opened: %s", input->path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return base_usage(error, "%.400s is no regular file, and an array is not read from first to last",
                          input->path);
    return npy_header_read(&input->array, input->file, input->path, error);
}

bool files_session_open(struct files_session *session, const char *command, uint64_t memory,
                        const char *const *paths, size_t count, struct base_error *error) {
    *session = (struct files_session){.command = command, .memory = memory ? memory : default_memory()};
    if (count > FILES_MOST_FILES)
        return base_usage(error, "%s takes at most %d files", command, FILES_MOST_FILES);
    session->inputs = calloc(count + 1, sizeof *session->inputs);
    if (!session->inputs)
        return base_failure(error, "out of memory");
    keep_threads_small();
    for (size_t i = 0; i < count; i++) {
        session->inputs[i] = (struct files_input){.path = paths[i], .file = -1};
        session->input_count++;
        if (!open_input(&session->inputs[i], error))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- outputs */

bool files_output_check(const char *path, struct base_error *error) {
    struct stat status;
    if (base_place_is_stdout(path))
        return base_usage(
            error, "%.400s: a pipe is no output, as it shows what is not yet whole; give a file", path);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return base_usage(error, "%.400s is no regular file, and outputs are; give a file", path);
    return true;
}

bool files_outputs_check(struct files_session *session, const char *const *paths, size_t count,
                         struct base_error *error) {
    size_t inputs = session->input_count;
    struct base_place *places = calloc(inputs + count + 1, sizeof *places);
    session->outputs = calloc(count + 1, sizeof *session->outputs);
    bool good = (places && session->outputs) || base_failure(error, "out of memory");
    for (size_t i = 0; i < count && good; i++)
        good = files_output_check(paths[i], error);
    for (size_t i = 0; i < inputs && good; i++)
        places[i] = (struct base_place){.name = "an input", .path = session->inputs[i].path, .read = true};
    for (size_t i = 0; i < count && good; i++)
        places[inputs + i] = (struct base_place){.name = "output", .path = paths[i]};
    good = good && base_places_check(places, inputs + count, error);
    free(places);
    cli_guard_unfinished();
    return good;
}

/* Reserves the space, so that a full disk is noticed now and not after an hour.  A file system that cannot
 * reserve says so, and then this is left; posix_fallocate() would write each block instead. */
static bool reserve(const struct files_output *output, uint64_t size, struct base_error *error) {
    int file = fileno(output->output.file), result;
    do
        result = fallocate(file, 0, 0, (off_t)size);
    while (result && errno == EINTR);
    if (result && errno == EOPNOTSUPP)
        result = ftruncate(file, (off_t)size);
    return result == 0 || base_failure(error, "%.400s: there is no room for its %llu bytes: %s",
                                       output->output.path, (unsigned long long)size, strerror(errno));
}

bool files_output_begin(struct files_session *session, const char *path, const char *dtype, unsigned rank,
                        const uint64_t *shape, uint64_t bytes, struct base_error *error) {
    struct files_output *output = &session->outputs[session->output_count];
    size_t length;
    char *header = npy_header_make(dtype, rank, shape, &length, error);
    if (!header)
        return false;
    bool good = base_output_open(&output->output, "output", path, error);
    if (good) {
        cli_note_unfinished((int)session->output_count++, &output->output.temporary);
        output->data = length;
        const struct files_end end = {.file = fileno(output->output.file), .name = output->output.path};
        good = reserve(output, length + bytes, error) &&
               files_write_run(&end, (const unsigned char *)header, 0, length, error);
    }
    free(header);
    return good;
}

/* ---------------------------------------------------------------- the job */

struct files_end files_input_end(const struct files_session *session, size_t i) {
    const struct files_input *input = &session->inputs[i];
    return (struct files_end){.file = input->file,
                              .name = input->path,
                              .view = {.offset = input->array.data, .record = input->array.dtype.bytes}};
}

struct files_end files_output_end(const struct files_session *session, size_t i, uint64_t record) {
    const struct files_output *output = &session->outputs[i];
    return (struct files_end){.file = fileno(output->output.file),
                              .name = output->output.path,
                              .view = {.offset = output->data, .record = record}};
}

static void show_progress(void *argument, uint64_t bytes, uint64_t total) {
    struct files_session *session = argument;
    double seconds;
    if (cli_progress_due(&session->progress, &seconds))
        cli_progress_show(&session->progress, "%s: %.2f of %.2f GB, %.2f GB/s", session->command,
                          1e-9 * (double)bytes, 1e-9 * (double)total, 1e-9 * (double)bytes / seconds);
}

bool files_outputs_commit(struct files_output *outputs, size_t count, struct base_error *error) {
    /* First all data go to the disk, then all names appear: after a crash no file is there with a part of its
     * data. */
    for (size_t i = 0; i < count; i++) {
        const struct base_output *output = &outputs[i].output;
        if (fflush(output->file) || fdatasync(fileno(output->file)))
            return base_failure(error, "%.400s: it cannot be written: %s", output->path, strerror(errno));
    }
    for (size_t i = 0; i < count; i++) {
        if (!base_output_commit(&outputs[i].output, error))
            return false;
        cli_note_unfinished((int)i, NULL);
    }
    return true;
}

bool files_session_finish(struct files_session *session, struct files_job *job, struct base_error *error) {
    uint64_t bytes = 0;
    cli_progress_open(&session->progress);
    job->memory = session->memory;
    job->progress = show_progress;
    job->argument = session;
    for (size_t i = 0; i < job->from_count; i++)
        bytes += job->ends[i].view.record;
    for (unsigned d = 0; d < job->space.rank; d++)
        if (!job->space.size[d])
            bytes = 0;
    bool good = !bytes || files_move(job, error);
    good = good && files_outputs_commit(session->outputs, session->output_count, error);
    cli_progress_clear(&session->progress);
    return good;
}

void files_session_close(struct files_session *session) {
    for (size_t i = 0; i < session->input_count; i++) {
        if (session->inputs[i].file >= 0)
            close(session->inputs[i].file);
        npy_array_free(&session->inputs[i].array);
    }
    for (size_t i = 0; i < session->output_count; i++) {
        base_output_close(&session->outputs[i].output);
        cli_note_unfinished((int)i, NULL);
    }
    free(session->inputs);
    free(session->outputs);
    *session = (struct files_session){0};
}

/* ---------------------------------------------------------------- shapes */

bool files_inputs_check_shapes(const struct files_session *session, struct base_error *error) {
    const struct files_input *first = &session->inputs[0];
    char left[NPY_SHAPE_TEXT], right[NPY_SHAPE_TEXT];
    for (size_t i = 1; i < session->input_count; i++) {
        const struct files_input *input = &session->inputs[i];
        const struct npy_array *a = &first->array, *b = &input->array;
        if (a->rank != b->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) != 0)
            return base_failure(error, "%.300s has the shape %s, but %.300s has %s", first->path,
                                npy_shape_text(a, left), input->path, npy_shape_text(b, right));
    }
    return true;
}
