/* The processes below this one, wherever they have gone: a process that is made a subreaper stays the
 * ancestor of daemons and of other sessions' processes too. */
#ifndef WIDELOAD_PROF_TREE_H
#define WIDELOAD_PROF_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* From now on, what is orphaned below becomes a child of this process. */
void prof_tree_own(void);
/* Sends a signal to every descendant.  Where /proc is not there, to `child` alone. */
void prof_tree_signal(int number, int child);
/* Ends every descendant: asks with SIGTERM, waits up to `grace` seconds, then kills, and reaps what has
 * ended.  The status of `child` goes to *status, if it is among them.  False when one cannot be ended, as
 * another user's. */
bool prof_tree_end(int child, double grace, int *status);
/* Whether the process goes on; one that has ended is reaped. */
bool prof_tree_runs(int64_t pid);

/* Seconds of a clock that nobody sets. */
double prof_now(void);

#endif
