/* The files of Wideload that a profiled program needs.  They are in the folder of libwideload.so. */
#ifndef WIDELOAD_PROF_PARTS_H
#define WIDELOAD_PROF_PARTS_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct prof_parts {
    char folder[PATH_MAX];  /* for LD_LIBRARY_PATH: the simulator and our runtime under CUDA's names */
    char runtime[PATH_MAX]; /* for LD_PRELOAD: replaces a statically linked runtime */
};

/* False if a file is missing or cannot be read; the error names it. */
bool prof_parts_find(struct prof_parts *out, struct base_error *error);

#endif
