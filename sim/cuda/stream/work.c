/* Work in flight: the kernels, copies and fills that threads are running. */
#include <time.h>

#include "sim/cuda/driver.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static struct work *oldest, *newest;
static uint64_t begun;

enum { GATE_SECONDS = 10 };
static unsigned holders;
static struct timespec gate; /* new work waits for the holders until this time */

void work_begin(struct work *work) {
    pthread_mutex_lock(&lock);
    while (holders && pthread_cond_clockwait(&ended, &lock, CLOCK_MONOTONIC, &gate) == 0)
        continue;
    *work = (struct work){.number = ++begun, .previous = newest};
    if (newest)
        newest->next = work;
    else
        oldest = work;
    newest = work;
    pthread_mutex_unlock(&lock);
    sim_memory_enter(driver.memory);
}

void work_end(struct work *work) {
    sim_memory_leave(driver.memory);
    pthread_mutex_lock(&lock);
    if (work->previous)
        work->previous->next = work->next;
    else
        oldest = work->next;
    if (work->next)
        work->next->previous = work->previous;
    else
        newest = work->previous;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

void work_wait(void) {
    pthread_mutex_lock(&lock);
    const uint64_t last = begun;
    while (oldest && oldest->number <= last)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

void work_hold(void) {
    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_MONOTONIC, &gate);
    gate.tv_sec += GATE_SECONDS;
    holders++;
    while (oldest)
        pthread_cond_wait(&ended, &lock);
}

void work_resume(void) {
    holders--;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

bool work_in_flight(void) {
    pthread_mutex_lock(&lock);
    const bool any = oldest != NULL;
    pthread_mutex_unlock(&lock);
    return any;
}
