#include "prof/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prof/parts.h"
#include "prof/program.h"

/* What a program may be told by another; a terminal tells the whole group itself. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

enum { GRACE_SECONDS = 2 }; /* between asking a program to end and ending it */

/* ---------------------------------------------------------------- the environment */

/* Puts a path before those that a variable holds already. */
static bool prepend(const char *name, const char *path) {
    const char *rest = getenv(name);
    char *value = NULL;
    if (!rest || !*rest)
        return setenv(name, path, 1) == 0;
    bool good = asprintf(&value, "%s:%s", path, rest) >= 0 && setenv(name, value, 1) == 0;
    free(value);
    return good;
}

static bool set_environment(const struct prof_run *run, const struct prof_parts *parts) {
    bool good = prepend("LD_LIBRARY_PATH", parts->folder) && prepend("LD_PRELOAD", parts->runtime) &&
                setenv("WIDELOAD_PROF_OUT", run->records, 1) == 0;
    if (run->arch)
        good = good && setenv("WIDELOAD_ARCH", run->arch, 1) == 0;
    if (run->checks)
        good = good && setenv("WIDELOAD_CHECK", run->checks, 1) == 0;
    return good;
}

/* ---------------------------------------------------------------- the child */

_Noreturn static void become(const struct prof_run *run, const struct prof_parts *parts, const sigset_t *mask,
                             int report) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (set_environment(run, parts))
        execv(run->path, run->arguments);
    int why = errno;
    ssize_t wrote = write(report, &why, sizeof why);
    _exit(wrote == sizeof why ? PROF_NOT_EXECUTABLE : PROF_NOT_FOUND);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Waits for one of the signals, at most until then (0: for ever); 0 when the time is up. */
static int wait_signal(const sigset_t *set, double until, siginfo_t *info) {
    if (until <= 0)
        return sigwaitinfo(set, info);
    double left = until - now();
    if (left < 0)
        left = 0;
    struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
    int number = sigtimedwait(set, info, &time);
    return number < 0 && errno == EAGAIN ? 0 : number;
}

static void wait_for(pid_t child, const sigset_t *set, double seconds, struct prof_outcome *out) {
    double until = seconds > 0 ? now() + seconds : 0;
    while (waitpid(child, &out->status, WNOHANG) != child) {
        siginfo_t info;
        int number = wait_signal(set, until, &info);
        if (number == 0) {
            kill(child, out->timed_out ? SIGKILL : SIGTERM);
            kill(child, SIGCONT);
            until = now() + GRACE_SECONDS;
            out->timed_out = true;
        } else if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) {
            kill(child, number);
        }
    }
}

/* The errno of a failed exec, 0 when the program runs. */
static int exec_error(int report) {
    int why;
    ssize_t size;
    do
        size = read(report, &why, sizeof why);
    while (size < 0 && errno == EINTR);
    return size == sizeof why ? why : 0;
}

int prof_run_program(const struct prof_run *run, struct prof_outcome *out, struct bench_error *error) {
    *out = (struct prof_outcome){0};
    struct prof_parts parts;
    int report[2];
    sigset_t set, old;
    if (!prof_parts_find(&parts, error))
        return EXIT_FAILURE;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(&set, forwarded[i]);
    if (pipe2(report, O_CLOEXEC)) {
        bench_failure(error, "no pipe: %s", strerror(errno));
        return PROF_NOT_EXECUTABLE;
    }
    /* From here on they wait to be asked for.  SIGCHLD may have been ignored by whoever started us, and
     * then children would leave no status. */
    sigprocmask(SIG_BLOCK, &set, &old);
    struct sigaction child_action = {.sa_handler = SIG_DFL}, old_action;
    sigaction(SIGCHLD, &child_action, &old_action);
    pid_t child = fork();
    if (child == 0)
        become(run, &parts, &old, report[1]);
    int why = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        why = exec_error(report[0]);
        wait_for(child, &set, run->seconds, out);
    }
    close(report[0]);
    sigaction(SIGCHLD, &old_action, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (!why)
        return 0;
    /* The program itself is there: it was looked into. */
    bench_failure(error, "%.400s: %s", run->path,
                  why == ENOENT    ? "what it asks to be run by (its first line, or its loader) is not there"
                  : why == ENOEXEC ? "damaged: the system cannot run it"
                                   : strerror(why));
    return PROF_NOT_EXECUTABLE;
}
