#include "prof/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prof/environment.h"
#include "prof/guard.h"
#include "prof/program.h"
#include "prof/tree.h"

/* Signals that other processes send to a program.  A terminal signals the whole group itself. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

void run_become(const struct prof_run *run) {
    struct prof_parts parts;
    struct base_error unused;
    char path[PROF_PATH_BYTES];
    if (!run->simulator) {
        /* Without the simulator, the program must not use a GPU instead. */
        if (setenv("CUDA_VISIBLE_DEVICES", "-1", 1) == 0)
            execv(run->path, run->arguments);
    } else if (prof_parts_find(&parts, &unused)) {
        const char *executed = prof_environment_path(run, &parts, path);
        if (prof_environment_set(run, &parts))
            execv(executed, run->arguments);
    }
}

/* ---------------------------------------------------------------- the guard */

/* Waits for the guard and forwards signals to it.  False: it was killed, and *out is unchanged. */
static bool wait_for_guard(pid_t guard, const sigset_t *set, int report, struct guard_result *out) {
    int status;
    while (waitpid(guard, &status, WNOHANG) != guard) {
        siginfo_t info;
        int number = sigwaitinfo(set, &info);
        if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL)
            kill(guard, number);
    }
    ssize_t size;
    do
        size = read(report, out, sizeof *out);
    while (size < 0 && errno == EINTR);
    return size == sizeof *out;
}

static int run_guarded(const struct prof_run *run, const sigset_t *set, const sigset_t *old,
                       struct guard_result *out, struct base_error *error) {
    int report[2];
    pid_t self = getpid();
    if (pipe2(report, O_CLOEXEC)) {
        base_failure(error, "a pipe cannot be made: %s", strerror(errno));
        return PROF_NOT_EXECUTABLE;
    }
    pid_t guard = fork();
    if (guard == 0) {
        close(report[0]);
        guard_run(run, self, set, old, report[1]);
    }
    int why = guard < 0 ? errno : 0;
    close(report[1]);
    bool reported = guard > 0 && wait_for_guard(guard, set, report[0], out);
    close(report[0]);
    if (reported)
        return 0;
    if (guard > 0) { /* the processes that it watched end with it */
        int status;
        prof_tree_end(0, 0, &status);
    }
    base_failure(error,
                 guard < 0 ? "a process cannot be started: %s"
                           : "the process that watches the program was killed",
                 strerror(why));
    return 1;
}

int prof_run_program(const struct prof_run *run, struct prof_outcome *out, struct base_error *error) {
    struct guard_result result;
    struct prof_parts parts;
    sigset_t set, old;
    memset(&result, 0, sizeof result);
    *out = result.outcome;
    if (run->simulator && !prof_parts_find(&parts, error))
        return EXIT_FAILURE;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(&set, forwarded[i]);
    /* From here on the signals stay pending until sigwaitinfo().  The parent process may have ignored
     * SIGCHLD, and then children would leave no status. */
    sigprocmask(SIG_BLOCK, &set, &old);
    struct sigaction child_action = {.sa_handler = SIG_DFL}, old_action;
    sigaction(SIGCHLD, &child_action, &old_action);
    prof_tree_own();
    int status = run_guarded(run, &set, &old, &result, error);
    sigaction(SIGCHLD, &old_action, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    *out = result.outcome;
    if (status || !result.why)
        return status;
    /* The program exists, so ENOENT is about its interpreter or loader. */
    base_failure(error, "%.400s: %s", run->path,
                 result.why == ENOENT
                     ? "what it asks to be run by (its first line, or its loader) is not there"
                 : result.why == ENOEXEC ? "damaged: the system cannot run it"
                                         : strerror(result.why));
    return PROF_NOT_EXECUTABLE;
}
