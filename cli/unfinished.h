/* Temporary files that a signal must not leave behind. */
#ifndef WIDELOAD_CLI_UNFINISHED_H
#define WIDELOAD_CLI_UNFINISHED_H

enum { CLI_MOST_UNFINISHED = 4 };

/* From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGPIPE remove what is noted below before they
 * end the program. */
void cli_guard_unfinished(void);
/* place: below CLI_MOST_UNFINISHED; path: kept, not copied; NULL: nothing (any more). */
void cli_note_unfinished(int place, char *path);
/* Removes what is noted. */
void cli_remove_unfinished(void);

#endif
