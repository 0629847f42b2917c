#include "matrix/share.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64 };

size_t matrix_threads(void) {
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (size_t)count;
}

struct items {
    void (*work)(void *argument, size_t i);
    void *argument;
    size_t count;
    _Atomic size_t next;
};

static void *take(void *argument) {
    struct items *items = argument;
    for (size_t i; (i = atomic_fetch_add(&items->next, 1)) < items->count;)
        items->work(items->argument, i);
    return NULL;
}

/* Threads are made anew each time: that takes little beside an item, and none waits and spins meanwhile, as
 * OpenMP's do. */
void matrix_share(void (*work)(void *argument, size_t i), void *argument, size_t count) {
    struct items items = {.work = work, .argument = argument, .count = count};
    pthread_t threads[MOST_THREADS];
    const size_t useful = matrix_threads();
    size_t made = 0;
    while (made + 1 < useful && made + 1 < count && pthread_create(&threads[made], NULL, take, &items) == 0)
        made++;
    take(&items);
    for (size_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
}
