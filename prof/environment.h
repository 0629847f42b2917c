/* What a profiled program finds in its environment: the simulator in CUDA's place. */
#ifndef WIDELOAD_PROF_ENVIRONMENT_H
#define WIDELOAD_PROF_ENVIRONMENT_H

#include <limits.h>

#include "prof/parts.h"
#include "prof/run.h"

enum { PROF_PATH_BYTES = PATH_MAX + 16 };

/* What is executed: run->path, or the compiler of ours that a program's children would find by the same name
 * in PATH. Called before prof_environment_set().  The result lies in run or in out. */
const char *prof_environment_path(const struct prof_run *run, const struct prof_parts *parts,
                                  char out[PROF_PATH_BYTES]);

/* Changes this process's environment.  False: errno says why. */
bool prof_environment_set(const struct prof_run *run, const struct prof_parts *parts);

#endif
