/* One line on stderr that is rewritten during a run.  Prints nothing unless stderr is a terminal. */
#ifndef WIDELOAD_CLI_PROGRESS_H
#define WIDELOAD_CLI_PROGRESS_H

#include <stdbool.h>

struct cli_progress {
    bool terminal, shown;
    double begun, due; /* in seconds */
};

void cli_progress_open(struct cli_progress *progress);
void cli_progress_show(struct cli_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Whether work of one kind should show itself: short work never, and long work ten times a second.  *seconds:
 * since cli_progress_open(). */
bool cli_progress_due(struct cli_progress *progress, double *seconds);
/* Clears the line for other output. */
void cli_progress_clear(struct cli_progress *progress);

#endif
