/* A result file that appears whole or not at all: written beside its place, then renamed into it. */
#ifndef WIDELOAD_BASE_OUTPUT_H
#define WIDELOAD_BASE_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

struct base_output {
    FILE *file;
    char *path, *temporary; /* temporary: NULL for "-" and for what is no regular file, written directly */
    bool is_stdout;
};

/* Opens before a run, so that a place that cannot be written is refused at once.  `option` ("--json") names
 * it in messages; path "-" is standard output, as its other names are. */
bool base_output_open(struct base_output *output, const char *option, const char *path,
                      struct base_error *error);
/* Puts the file in its place. */
bool base_output_commit(struct base_output *output, struct base_error *error);
/* Leaves nothing behind; after a commit it only frees. */
void base_output_close(struct base_output *output);

#endif
