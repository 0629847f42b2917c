/* The file for a profiled program's records; sim/cuda/record/records.h describes its start. */
#ifndef WIDELOAD_PROF_RECORDS_H
#define WIDELOAD_PROF_RECORDS_H

#include <limits.h>
#include <stdio.h>

#include "base/error.h"

struct prof_records {
    char path[PATH_MAX]; /* to remove; absolute, since the program may change its directory; "": none */
    FILE *file;          /* open until prof_records_close(), even if the path is removed */
};

/* Makes the file in TMPDIR, with its account, so that launches are counted even if the disk has no room for
 * their records.  False: it cannot be made, and nothing is left behind. */
bool prof_records_create(struct prof_records *out, struct base_error *error);
/* Opens a file that a program left; it is not removed. */
bool prof_records_open(struct prof_records *out, const char *path, struct base_error *error);
/* Closes the file, and removes it if prof_records_create() made it. */
void prof_records_close(struct prof_records *records);

#endif
