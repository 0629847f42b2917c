/* Aborting a communicator in bounded time.  ncclCommAbort waits for kernels and threads of its own, and
 * versions of it have waited for ever where only one rank aborts. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "lib/redistribute/nccl.h"

unsigned wl__nccl_abort_patience = 10 * 1000;

/* The last one of the caller and the thread frees it. */
struct job {
    int (*abort)(void *comm);
    void *comm;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t change;
    bool ended, left;
};

static void free_job(struct job *job) {
    pthread_cond_destroy(&job->change);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

static void *run(void *argument) {
    struct job *job = argument;
    (void)job->abort(job->comm);
    pthread_mutex_lock(&job->lock);
    job->ended = true;
    const bool left = job->left;
    pthread_cond_signal(&job->change);
    pthread_mutex_unlock(&job->lock);
    if (left)
        free_job(job);
    return NULL;
}

static bool start(struct job *job) {
    pthread_attr_t detached;
    pthread_t thread;
    if (pthread_attr_init(&detached))
        return false;
    const bool started = !pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) &&
                         !pthread_create(&thread, &detached, run, job);
    pthread_attr_destroy(&detached);
    return started;
}

static bool wait_for(struct job *job) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wl__nccl_abort_patience / 1000;
    until.tv_nsec += wl__nccl_abort_patience % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&job->lock);
    while (!job->ended && !pthread_cond_timedwait(&job->change, &job->lock, &until))
        ;
    const bool ended = job->ended;
    job->left = !ended;
    pthread_mutex_unlock(&job->lock);
    if (ended)
        free_job(job);
    return ended;
}

static struct job *new_job(const struct wl__nccl *nccl, void *comm) {
    pthread_condattr_t monotonic;
    struct job *job = calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    job->abort = nccl->ncclCommAbort;
    job->comm = comm;
    if (pthread_condattr_init(&monotonic)) {
        free(job);
        return NULL;
    }
    const bool failed = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) ||
                        pthread_cond_init(&job->change, &monotonic) || pthread_mutex_init(&job->lock, NULL);
    pthread_condattr_destroy(&monotonic);
    if (!failed)
        return job;
    free(job);
    return NULL;
}

bool wl__nccl_abort(const struct wl__nccl *nccl, void *comm) {
    struct job *job = new_job(nccl, comm);
    if (job && start(job))
        return wait_for(job);
    if (job)
        free_job(job);
    (void)nccl->ncclCommAbort(comm);
    return true;
}
