/* The guard is the process between `wideload prof` and the program.  It waits for the program, forwards
 * signals and ends the program at its time limit.  If `wideload prof` is killed, the guard ends all processes
 * below it and removes the files.  If the guard is killed, the program is killed too. */
#ifndef WIDELOAD_PROF_GUARD_H
#define WIDELOAD_PROF_GUARD_H

#include <signal.h>

#include "prof/run.h"

enum { GUARD_GRACE = 2 }; /* seconds between asking a program to end and killing it */

/* The guard's result, which it writes to a pipe. */
struct guard_result {
    int why; /* errno of the failed fork or exec; 0: the program ran */
    struct prof_outcome outcome;
};

/* Runs the program with the signal mask `mask`, and writes a struct guard_result to `report`.  Call it in a
 * child process of `front` with the signals of `set` blocked. */
_Noreturn void guard_run(const struct prof_run *run, pid_t front, const sigset_t *set, const sigset_t *mask,
                         int report);

/* Executes the program in this process.  Returns only on failure, with errno. */
void run_become(const struct prof_run *run);

#endif
