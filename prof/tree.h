/* All descendants of this process.  As a subreaper, it stays the ancestor of daemons and of processes in
 * other sessions too. */
#ifndef WIDELOAD_PROF_TREE_H
#define WIDELOAD_PROF_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes this process a subreaper: orphaned descendants become its children. */
void prof_tree_own(void);
/* Sends a signal to every descendant; without /proc, only to `child`. */
void prof_tree_signal(int number, int child);
/* Ends and reaps every descendant: sends SIGTERM, waits up to `grace` seconds, then sends SIGKILL.  *status
 * gets the status of `child`, if it is among them.  False if one could not be ended, such as another
 * user's. */
bool prof_tree_end(int child, double grace, int *status);
/* Whether the process still runs; children that have ended are reaped. */
bool prof_tree_runs(int64_t pid);

/* Seconds of a monotonic clock. */
double prof_now(void);

#endif
