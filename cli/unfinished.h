/* Temporary files that a signal must not leave behind. */
#ifndef WIDELOAD_CLI_UNFINISHED_H
#define WIDELOAD_CLI_UNFINISHED_H

enum { CLI_MOST_UNFINISHED = 1000 }; /* as many files as an operation on arrays writes */

/* From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGPIPE remove the noted files before they end
 * the program. */
void cli_guard_unfinished(void);
/* Notes a file.  place: below CLI_MOST_UNFINISHED.  path: where the file's path stands, which is read when a
 * signal comes, so both must stay valid; NULL, or a path that is NULL: no file. */
void cli_note_unfinished(int place, char *volatile const *path);
/* Removes the noted files. */
void cli_remove_unfinished(void);

#endif
