/* A result file that appears whole or not at all: it is written without a name, or where the file system
 * cannot do that under a temporary one, and then put in place. */
#ifndef WIDELOAD_BASE_OUTPUT_H
#define WIDELOAD_BASE_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

struct base_output {
    FILE *file;
    char *path;
    char *volatile temporary; /* NULL for "-" and special files, which are written directly, and for a file
                                 without a name, of which nothing stays however the program ends; set while
                                 such a file replaces an old one: after SIGKILL then, .wideload.* stays.  A
                                 signal handler may read it. */
    bool is_stdout, is_unnamed;
};

/* Opens the file.  Call it before a run, so that a path that cannot be written is refused at once.  `option`
 * ("--json") names the file in messages.  "-" and /dev/stdout are standard output. */
bool base_output_open(struct base_output *output, const char *option, const char *path,
                      struct base_error *error);
/* Flushes the file and puts it in place of what its path names. */
bool base_output_commit(struct base_output *output, struct base_error *error);
/* Without a commit, nothing of the file stays.  Frees the memory. */
void base_output_close(struct base_output *output);

#endif
