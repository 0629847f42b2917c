/* Sets the environment of a profiled program so that it finds the simulator in place of CUDA. */
#ifndef WIDELOAD_PROF_ENVIRONMENT_H
#define WIDELOAD_PROF_ENVIRONMENT_H

#include <limits.h>

#include "prof/parts.h"
#include "prof/run.h"

enum { PROF_PATH_BYTES = PATH_MAX + 16 };

/* The path to execute: run->path, or our compiler of that name (nvcc, ptxas), which child processes would
 * find in PATH too.  Call it before prof_environment_set().  The result points into run or is out. */
const char *prof_environment_path(const struct prof_run *run, const struct prof_parts *parts,
                                  char out[PROF_PATH_BYTES]);

/* Changes this process's environment.  False: errno says why. */
bool prof_environment_set(const struct prof_run *run, const struct prof_parts *parts);

#endif
