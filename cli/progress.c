#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void cli_progress_open(struct cli_progress *progress) {
    const double begun = now();
    *progress = (struct cli_progress){
        .terminal = isatty(STDERR_FILENO), .shown = false, .begun = begun, .due = begun + 0.5};
}

bool cli_progress_due(struct cli_progress *progress, double *seconds) {
    const double time = now();
    *seconds = time - progress->begun;
    if (!progress->terminal || time < progress->due)
        return false;
    progress->due = time + 0.1;
    return true;
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
