/* The process between `wideload prof` and the program.  It waits for the program, passes signals on and ends
 * the program when its time is up.  When `wideload prof` itself is killed it ends everything below, so that
 * nothing goes on and no file is left; when the guard is killed, the program is killed as well. */
#ifndef WIDELOAD_PROF_GUARD_H
#define WIDELOAD_PROF_GUARD_H

#include <signal.h>

#include "prof/run.h"

enum { GUARD_GRACE = 2 }; /* seconds between asking a program to end and killing it */

/* What the guard has to say, as it is written to a pipe. */
struct guard_result {
    int why; /* errno of the failed fork or exec; 0: the program ran */
    struct prof_outcome outcome;
};

/* In a child of `front`, with the signals of `set` blocked: runs the program, whose signals are blocked as
 * `mask` says, and writes a struct guard_result to `report`. */
_Noreturn void guard_run(const struct prof_run *run, pid_t front, const sigset_t *set, const sigset_t *mask,
                         int report);

/* In the program's process: becomes it.  Returns only where that fails: errno says why. */
void run_become(const struct prof_run *run);

#endif
