#include "cli/unfinished.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* volatile: the signal handler reads them. */
static char *volatile const *volatile unfinished[CLI_MOST_UNFINISHED];

void cli_remove_unfinished(void) {
    for (int i = 0; i < CLI_MOST_UNFINISHED; i++) {
        const char *path = unfinished[i] ? *unfinished[i] : NULL;
        if (path)
            unlink(path);
    }
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

void cli_note_unfinished(int place, char *volatile const *path) {
    unfinished[place] = path;
}
