#include "prof/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILL_SECONDS = 5 }; /* a process that runs this long after SIGKILL cannot be killed */

struct entry {
    pid_t pid, parent;
};

struct processes {
    struct entry *items;
    size_t count, capacity;
};

double prof_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void prof_tree_own(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Reads the parent from "12 (a name) S 1 ...", where the name may contain anything. */
static bool read_parent(const char *pid, pid_t *out) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    const char *end = strrchr(text, ')');
    return end && sscanf(end + 1, " %*c %d", out) == 1;
}

static bool add(struct processes *processes, struct entry entry) {
    if (processes->count == processes->capacity) {
        size_t larger = processes->capacity ? 2 * processes->capacity : 256;
        struct entry *moved = realloc(processes->items, larger * sizeof *moved);
        if (!moved)
            return false;
        processes->items = moved;
        processes->capacity = larger;
    }
    processes->items[processes->count++] = entry;
    return true;
}

static int compare(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    return (a->pid > b->pid) - (a->pid < b->pid);
}

static bool list(struct processes *out) {
    *out = (struct processes){NULL, 0, 0};
    DIR *folder = opendir("/proc");
    if (!folder)
        return false;
    bool good = true;
    for (struct dirent *e; good && (e = readdir(folder));) {
        struct entry entry = {.pid = (pid_t)atoi(e->d_name)};
        if (isdigit((unsigned char)e->d_name[0]) && read_parent(e->d_name, &entry.parent))
            good = add(out, entry);
    }
    closedir(folder);
    if (good && out->count)
        qsort(out->items, out->count, sizeof *out->items, compare);
    return good && out->count;
}

static bool is_below(const struct processes *all, struct entry entry, pid_t ancestor) {
    /* Processes may change while they are read; the limit ends a cycle. */
    for (size_t depth = 0; depth < all->count && entry.parent != ancestor; depth++) {
        const struct entry key = {.pid = entry.parent};
        const struct entry *parent = bsearch(&key, all->items, all->count, sizeof key, compare);
        if (!parent)
            return false;
        entry = *parent;
    }
    return entry.parent == ancestor;
}

void prof_tree_signal(int number, int child) {
    struct processes all;
    pid_t self = getpid();
    if (list(&all)) {
        for (size_t i = 0; i < all.count; i++)
            if (is_below(&all, all.items[i], self))
                kill(all.items[i].pid, number);
    } else if (child > 0) {
        kill(child, number);
    }
    free(all.items);
}

/* Reaps children that have ended.  False: no children are left. */
static bool reap(pid_t child, int *status) {
    pid_t pid;
    int value;
    while ((pid = waitpid(-1, &value, WNOHANG)) > 0)
        if (pid == child)
            *status = value;
    return pid == 0;
}

bool prof_tree_end(int child, double grace, int *status) {
    static const struct timespec pause = {0, 10 * 1000 * 1000};
    double begin = prof_now();
    if (grace > 0) {
        prof_tree_signal(SIGTERM, child);
        prof_tree_signal(SIGCONT, child);
    }
    while (reap(child, status)) {
        double time = prof_now() - begin;
        if (time > grace + KILL_SECONDS)
            return false;
        /* Repeatedly, since a process may have forked meanwhile. */
        if (time >= grace)
            prof_tree_signal(SIGKILL, child);
        nanosleep(&pause, NULL);
    }
    return true;
}

bool prof_tree_runs(int64_t pid) {
    int status;
    reap(0, &status);
    return pid > 0 && (pid_t)pid == pid && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}
