/* Finds the program to profile and examines its file before it runs. */
#ifndef WIDELOAD_PROF_PROGRAM_H
#define WIDELOAD_PROF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* The exit statuses of shells. */
enum { PROF_NOT_EXECUTABLE = 126, PROF_NOT_FOUND = 127 };

struct prof_program {
    char path[PATH_MAX];
    bool elf;          /* false: a script; processes that it starts are profiled too */
    bool dynamic;      /* dynamically linked, so the loader can put our libraries first */
    bool has_gpu_code; /* it has a section with kernels */
    bool has_symbols;  /* it is not stripped */
    bool privileged;   /* setuid, setgid or capabilities: the loader ignores LD_PRELOAD and LD_LIBRARY_PATH */
    bool needs_cudart; /* it is linked to CUDA's runtime */
    bool needs_driver; /* it is linked to CUDA's driver */
};

/* Searches PATH like a shell and examines the file.  Returns 0 or an exit status, with *error. */
int prof_program_find(const char *name, struct prof_program *out, struct base_error *error);

/* Whether the program can run on the simulator.  A statically linked program with kernels would load it in
 * addition to its own C library, and crash. */
bool prof_program_takes_simulator(const struct prof_program *program);

/* A probable reason, in one line, why no kernel ran.  simulator: some process opened the simulator. */
const char *prof_program_silence(const struct prof_program *program, bool simulator);

#endif
