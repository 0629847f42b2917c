/* A result file that appears whole or not at all: written beside its place, then renamed into it. */
#ifndef WIDELOAD_BENCH_OUTPUT_H
#define WIDELOAD_BENCH_OUTPUT_H

#include <stdio.h>

#include "bench/error.h"

struct bench_output {
    FILE *file;
    char *path, *temporary; /* temporary: NULL for "-" and for what is no regular file, written directly */
    bool is_stdout;
};

/* Opens before a run, so that a place that cannot be written is refused at once.  `option` ("--json") names
 * it in messages; path "-" is standard output, as its other names are. */
bool bench_output_open(struct bench_output *output, const char *option, const char *path,
                       struct bench_error *error);
/* Puts the file in its place. */
bool bench_output_commit(struct bench_output *output, struct bench_error *error);
/* Leaves nothing behind; after a commit it only frees. */
void bench_output_close(struct bench_output *output);

#endif
