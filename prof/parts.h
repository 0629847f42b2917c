/* The files of Wideload that a profiled program runs on: they lie beside libwideload.so, wherever that is. */
#ifndef WIDELOAD_PROF_PARTS_H
#define WIDELOAD_PROF_PARTS_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct prof_parts {
    char folder[PATH_MAX];  /* the simulator and our runtime under CUDA's own names, for LD_LIBRARY_PATH */
    char runtime[PATH_MAX]; /* takes the place of a static runtime, for LD_PRELOAD */
};

/* False, with the file's name in the error, when one of them is missing or cannot be read. */
bool prof_parts_find(struct prof_parts *out, struct base_error *error);

#endif
