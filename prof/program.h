/* The program to be profiled, before it runs: where it is, and what its file says. */
#ifndef WIDELOAD_PROF_PROGRAM_H
#define WIDELOAD_PROF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* As shells have it. */
enum { PROF_NOT_EXECUTABLE = 126, PROF_NOT_FOUND = 127 };

struct prof_program {
    char path[PATH_MAX];
    bool elf;          /* else a script: what it starts is seen, too */
    bool dynamic;      /* a loader brings libraries in, ours first */
    bool has_gpu_code; /* a section with kernels */
    bool has_symbols;  /* not stripped */
    bool privileged;   /* it runs as another user: the loader then takes nothing from the environment */
    bool needs_cudart; /* of its libraries: CUDA's runtime, CUDA's driver */
    bool needs_driver;
};

/* Searches PATH as a shell does, and looks into the file.  0, or the exit status that says what is wrong. */
int prof_program_find(const char *name, struct prof_program *out, struct base_error *error);

/* Whether the simulator may be put beneath it.  A statically linked program with kernels would load it beside
 * its own C library, and crash. */
bool prof_program_takes_simulator(const struct prof_program *program);

/* Why no kernel of it may have run, one line; simulator: some process opened it. */
const char *prof_program_silence(const struct prof_program *program, bool simulator);

#endif
