/* Runs the program as a shell would, above the simulator, and waits for it. */
#ifndef WIDELOAD_PROF_RUN_H
#define WIDELOAD_PROF_RUN_H

#include <stdbool.h>

#include "base/error.h"

struct prof_run {
    const char *path;
    char *const *arguments;  /* the program's own, from its name on */
    const char *records;     /* the file that the simulator shall write */
    const char *arch;        /* counting rules; NULL: the program's environment's */
    const char *checks;      /* "memory,race"; NULL: none */
    double seconds;          /* after which it is ended, with all that it started; 0: never */
    bool simulator;          /* false: as it stands, for a program that the simulator cannot be put beneath */
    void (*abandoned)(void); /* called in another process when this one is killed: leaves no files; or NULL */
};

struct prof_outcome {
    int status; /* as waitpid() tells it */
    bool timed_out;
};

/* 0, or the exit status that says why it could not be started (1: a part of Wideload is missing).  Signals
 * sent to this process meanwhile go to the program, which decides what they mean; those that ask to end, to
 * all that it started as well, and what still runs when the program has ended is ended then.  When this
 * process is killed, all of that is killed. */
int prof_run_program(const struct prof_run *run, struct prof_outcome *out, struct base_error *error);

#endif
