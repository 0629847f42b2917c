#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void cli_progress_open(struct cli_progress *progress) {
    progress->terminal = isatty(STDERR_FILENO);
    progress->shown = false;
}

void cli_progress_show(struct cli_progress *progress, const char *format, ...) {
    if (!progress->terminal)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    progress->shown = true;
}

void cli_progress_clear(struct cli_progress *progress) {
    if (!progress->shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown = false;
}
