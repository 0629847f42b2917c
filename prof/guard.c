#include "prof/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prof/tree.h"

struct guard {
    const struct prof_run *run;
    pid_t front, child;
    const sigset_t *set;
    bool asked; /* a signal asked all processes to end */
    struct guard_result result;
};

/* ---------------------------------------------------------------- the program */

_Noreturn static void become(const struct guard *guard, pid_t self, const sigset_t *mask, int report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != self)
        _exit(1);
    /* The program must not inherit this process's signal actions. */
    struct sigaction action = {.sa_handler = SIG_DFL}, old;
    for (int number = 1; number < SIGRTMIN; number++)
        if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(number, &action, NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    run_become(guard->run);
    int why = errno;
    ssize_t wrote = write(report, &why, sizeof why);
    _exit(wrote == sizeof why ? 1 : 2);
}

/* The errno of a failed exec; 0: the program runs. */
static int exec_error(int report) {
    int why;
    ssize_t size;
    do
        size = read(report, &why, sizeof why);
    while (size < 0 && errno == EINTR);
    return size == sizeof why ? why : 0;
}

static int start(struct guard *guard, const sigset_t *mask) {
    int report[2];
    pid_t self = getpid();
    if (pipe2(report, O_CLOEXEC))
        return errno;
    guard->child = fork();
    if (guard->child == 0)
        become(guard, self, mask, report[1]);
    int why = guard->child < 0 ? errno : 0;
    close(report[1]);
    if (!why)
        why = exec_error(report[0]);
    close(report[0]);
    return why;
}

/* ---------------------------------------------------------------- while it runs */

/* Waits for one of the signals, at most until the time `until` (0: forever).  Returns 0 at a timeout. */
static int wait_signal(const sigset_t *set, double until, siginfo_t *info) {
    if (until <= 0)
        return sigwaitinfo(set, info);
    double left = until - prof_now();
    if (left < 0)
        left = 0;
    struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
    int number = sigtimedwait(set, info, &time);
    return number < 0 && errno == EAGAIN ? 0 : number;
}

static bool asks_to_end(int number) {
    return number == SIGHUP || number == SIGINT || number == SIGTERM || number == SIGQUIT;
}

/* `wideload prof` was killed: ends the program and removes the files. */
_Noreturn static void abandon(struct guard *guard) {
    int status;
    prof_tree_end(guard->child, 0, &status);
    if (guard->run->abandoned)
        guard->run->abandoned();
    _exit(1);
}

static void take_signal(struct guard *guard, int number, const siginfo_t *info) {
    if (getppid() != guard->front)
        abandon(guard);
    /* Forward only signals from front: those to the whole group, as from a terminal, reach the program
     * anyway. */
    if (number <= 0 || number == SIGCHLD || info->si_pid != guard->front)
        return;
    if (asks_to_end(number)) {
        guard->asked = true;
        prof_tree_signal(number, guard->child);
    } else {
        kill(guard->child, number);
    }
}

/* Whether the program has ended.  Reaps orphans too. */
static bool has_ended(struct guard *guard) {
    pid_t pid;
    int status;
    bool ended = false;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == guard->child) {
            guard->result.outcome.status = status;
            ended = true;
        }
    return ended || (pid < 0 && errno == ECHILD);
}

static void wait_for_program(struct guard *guard) {
    double seconds = guard->run->seconds, until = seconds > 0 ? prof_now() + seconds : 0;
    while (!has_ended(guard)) {
        siginfo_t info;
        int number = wait_signal(guard->set, until, &info);
        if (number) {
            take_signal(guard, number, &info);
            continue;
        }
        guard->result.outcome.timed_out = true;
        prof_tree_end(guard->child, GUARD_GRACE, &guard->result.outcome.status);
        return;
    }
    int status = guard->result.outcome.status;
    if (guard->asked || (WIFSIGNALED(status) && asks_to_end(WTERMSIG(status))))
        prof_tree_end(0, GUARD_GRACE, &status);
}

void guard_run(const struct prof_run *run, pid_t front, const sigset_t *set, const sigset_t *mask,
               int report) {
    struct guard guard = {.run = run, .front = front};
    memset(&guard.result, 0, sizeof guard.result);
    prof_tree_own();
    /* SIGRTMIN reports the death of front: nobody sends it, or ignores it as nohup does SIGHUP. */
    sigset_t mine = *set;
    sigaddset(&mine, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &mine, NULL);
    guard.set = &mine;
    prctl(PR_SET_PDEATHSIG, SIGRTMIN, 0, 0, 0);
    if (getppid() != front)
        abandon(&guard);
    guard.result.why = start(&guard, mask);
    if (guard.child > 0)
        wait_for_program(&guard);
    ssize_t wrote = write(report, &guard.result, sizeof guard.result);
    _exit(wrote == sizeof guard.result ? 0 : 1);
}
