/* Runs gnuplot as a child process.  Script, pictures and messages go through files in memory, so nothing can
 * block and nothing is left behind. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/chart.h"

static char *contents(int descriptor, struct report_pool *pool) {
    off_t length = lseek(descriptor, 0, SEEK_END);
    char *text = report_alloc(pool, (size_t)(length > 0 ? length : 0) + 1);
    for (off_t at = 0; at < length;) {
        ssize_t got = pread(descriptor, text + at, (size_t)(length - at), at);
        if (got <= 0)
            break;
        at += got;
    }
    return text;
}

static bool put(int descriptor, const char *text) {
    for (size_t left = strlen(text); left;) {
        ssize_t written = write(descriptor, text, left);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            text += written;
            left -= (size_t)written;
        }
    }
    return lseek(descriptor, 0, SEEK_SET) == 0;
}

/* The last line with text; above it gnuplot repeats the command and points at the error. */
static const char *complaint(char *text) {
    const char *last = "it did not say why";
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[strspn(line, " \t^")])
            last = line + strspn(line, " \t^");
    return last;
}

/* The environment with the C locale, so that numbers have decimal points. */
static char **environment(struct report_pool *pool) {
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = report_alloc(pool, (count + 2) * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_", 3) && strncmp(environ[i], "LANG", 4) &&
            strncmp(environ[i], "GNUTERM=", 8))
            copy[kept++] = environ[i];
    copy[kept] = "LC_ALL=C";
    return copy;
}

/* Returns the exit status of `gnuplot -d` (which ignores the user's settings), or -1 with errno. */
static int run(const int descriptors[3], struct report_pool *pool) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        report_out_of_memory();
    int fault = 0, status;
    for (int i = 0; i < 3 && !fault; i++)
        fault = posix_spawn_file_actions_adddup2(&actions, descriptors[i], i);
    char *arguments[] = {"gnuplot", "-d", NULL};
    pid_t child;
    if (!fault)
        fault = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environment(pool));
    posix_spawn_file_actions_destroy(&actions);
    if (fault) {
        errno = fault;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool report_gnuplot(const char *script, char **out, struct report_pool *pool, struct base_error *error) {
    int descriptors[3];
    bool right = true;
    for (int i = 0; i < 3; i++) {
        descriptors[i] = memfd_create("wideload-gnuplot", MFD_CLOEXEC);
        right = right && descriptors[i] > 2;
    }
    right = right && put(descriptors[0], script);
    if (!right)
        base_failure(error, "no place for gnuplot's files: %s", strerror(errno));
    int status = right ? run(descriptors, pool) : 0;
    if (status < 0 && errno == ENOENT)
        right = base_failure(error, "gnuplot is not installed (Debian: gnuplot-nox); it draws the charts");
    else if (status < 0)
        right = base_failure(error, "gnuplot cannot be started: %s", strerror(errno));
    else if (status > 0)
        right = base_failure(error, "gnuplot failed (status %d): %.300s", status,
                             complaint(contents(descriptors[2], pool)));
    if (right)
        *out = contents(descriptors[1], pool);
    for (int i = 0; i < 3; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    return right;
}
