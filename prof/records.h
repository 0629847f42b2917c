/* The file that a profiled program writes its records to; sim/cuda/record/records.h says how it begins. */
#ifndef WIDELOAD_PROF_RECORDS_H
#define WIDELOAD_PROF_RECORDS_H

#include <limits.h>
#include <stdio.h>

#include "base/error.h"

struct prof_records {
    char path[PATH_MAX]; /* absolute: the program may change its folder; "" when there is no file */
    FILE *file;          /* open until prof_records_close(), whatever becomes of the name */
};

/* Makes the file in TMPDIR, with its account, so that the program's launches are counted even where there is
 * no room for their records.  False when it cannot be made; nothing is left then. */
bool prof_records_create(struct prof_records *out, struct base_error *error);
/* Removes it. */
void prof_records_close(struct prof_records *records);

#endif
