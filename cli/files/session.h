/* The files of one command: arrays that are read, and arrays that appear whole or not at all. */
#ifndef WIDELOAD_CLI_FILES_SESSION_H
#define WIDELOAD_CLI_FILES_SESSION_H

#include "base/npy/header.h"
#include "base/output.h"
#include "cli/files/move.h"
#include "cli/progress.h"

/* Files per command: below the 1024 that a process may usually have open.  cli/unfinished.h keeps as many
 * names. */
enum { FILES_MOST_FILES = 1000 };

struct files_input {
    const char *path;
    int file;
    struct npy_array array;
};

struct files_output {
    struct base_output output;
    uint64_t data; /* where an array's data begin */
};

/* Refuses a path that is neither free nor a regular file, before it is opened. */
bool files_output_check(const char *path, struct base_error *error);
/* Puts outputs in place when all are on the disk.  The i-th is noted as unfinished at place i. */
bool files_outputs_commit(struct files_output *outputs, size_t count, struct base_error *error);

struct files_session {
    const char *command;
    uint64_t memory; /* for boxes, in bytes */
    struct files_input *inputs;
    size_t input_count;
    struct files_output *outputs;
    size_t output_count;
    struct cli_progress progress;
};

/* Opens the inputs and reads their headers.  memory: for boxes, in bytes; 0: what suits the machine. */
bool files_session_open(struct files_session *session, const char *command, uint64_t memory,
                        const char *const *paths, size_t count, struct base_error *error);

/* Whether all inputs have the first one's shape. */
bool files_inputs_check_shapes(const struct files_session *session, struct base_error *error);

/* Begins the outputs: none may be an input or another output.  Each is then begun by files_output_begin(). */
bool files_outputs_check(struct files_session *session, const char *const *paths, size_t count,
                         struct base_error *error);
/* Begins the next output: makes the file, writes the header and reserves the space. */
bool files_output_begin(struct files_session *session, const char *path, const char *dtype, unsigned rank,
                        const uint64_t *shape, uint64_t bytes, struct base_error *error);

/* Fills in an end of a job: the i-th input, or output.  The caller sets its view's strides. */
struct files_end files_input_end(const struct files_session *session, size_t i);
struct files_end files_output_end(const struct files_session *session, size_t i, uint64_t record);

/* Does the job unless it has nothing to move, and puts the outputs in place when all are on the disk. */
bool files_session_finish(struct files_session *session, struct files_job *job, struct base_error *error);

/* Closes all files.  Outputs that were not put in place vanish. */
void files_session_close(struct files_session *session);

#endif
