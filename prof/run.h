/* Runs the program on the simulator, as a shell would, and waits for it. */
#ifndef WIDELOAD_PROF_RUN_H
#define WIDELOAD_PROF_RUN_H

#include <stdbool.h>

#include "base/error.h"

struct prof_run {
    const char *path;
    char *const *arguments;  /* the program's name and arguments */
    const char *records;     /* the file for the simulator's records */
    const char *arch;        /* counting rules; NULL: from the program's environment */
    const char *checks;      /* "memory,race"; NULL: none */
    bool page;               /* also record what a page shows (docs/prof.md) */
    double seconds;          /* time limit of the program and all that it started; 0: none */
    bool simulator;          /* false: run without it (prof_program_takes_simulator) */
    void (*abandoned)(void); /* removes files; called in another process if this one is killed; or NULL */
};

struct prof_outcome {
    int status; /* from waitpid() */
    bool timed_out;
};

/* Returns 0, or an exit status if the program could not be started (1: a part of Wideload is missing).
 * Signals to this process are forwarded to the program.  Those that ask to end also go to all processes that
 * it started, and processes that outlive it are then ended.  If this process is killed, all of them are. */
int prof_run_program(const struct prof_run *run, struct prof_outcome *out, struct base_error *error);

#endif
