#include "cli/unfinished.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* volatile: the signal handler reads it. */
static char *volatile unfinished[CLI_MOST_UNFINISHED];

void cli_remove_unfinished(void) {
    for (int i = 0; i < CLI_MOST_UNFINISHED; i++)
        if (unfinished[i])
            unlink(unfinished[i]);
}

static void end_by(int number) {
    cli_remove_unfinished();
    /* SA_RESETHAND has restored the default action, so the signal ends the program. */
    raise(number);
}

void cli_guard_unfinished(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE};
    struct sigaction action = {.sa_handler = end_by, .sa_flags = (int)SA_RESETHAND};
    struct sigaction old;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup ignores SIGHUP */
            sigaction(signals[i], &action, NULL);
}

void cli_note_unfinished(int place, char *path) {
    unfinished[place] = path;
}
