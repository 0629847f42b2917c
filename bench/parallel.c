#include "bench/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { MOST_THREADS = 64 };

struct worker {
    pthread_t thread;
    bool started;
    bench_range_fn *body;
    void *argument;
    uint64_t first, last;
};

static unsigned available_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (unsigned)count;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    worker->body(worker->argument, worker->first, worker->last);
    return NULL;
}

void bench_parallel(uint64_t count, uint64_t grain, bench_range_fn *body, void *argument) {
    struct worker workers[MOST_THREADS];
    uint64_t most = count / grain;
    unsigned threads = available_cores();
    if (threads > most)
        threads = most ? (unsigned)most : 1;
    uint64_t share = count / threads, rest = count % threads, first = 0;
    for (unsigned t = 0; t < threads; t++) {
        uint64_t last = first + share + (t < rest);
        workers[t] = (struct worker){.body = body, .argument = argument, .first = first, .last = last};
        first = last;
        /* The calling thread does the last range. */
        if (t + 1 < threads)
            workers[t].started = pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0;
    }
    for (unsigned t = 0; t < threads; t++)
        if (!workers[t].started)
            work(&workers[t]);
    for (unsigned t = 0; t < threads; t++)
        if (workers[t].started)
            pthread_join(workers[t].thread, NULL);
}
