#include "lib/host/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Shares per thread, so that one that is slow, or interrupted, leaves work to the others. */
#define SHARES_EACH 8

/* GNU's OpenMP keeps threads from one region to the next, and a forked child has none of them: a region there
 * would wait for them forever. */
static _Atomic bool forked;

static void note_fork(void) {
    atomic_store_explicit(&forked, true, memory_order_relaxed);
}

void wl__host_threads_prepare(void) {
    pthread_atfork(NULL, NULL, note_fork);
}

unsigned wl__host_threads(void) {
#ifdef _OPENMP
    if (!atomic_load_explicit(&forked, memory_order_relaxed) && !omp_in_parallel()) {
        const int threads = omp_get_max_threads();
        return threads > 0 ? (unsigned)threads : 1;
    }
#endif
    return 1;
}

void wl__host_share(wl__host_work *work, const void *problem, uint64_t count, uint64_t least) {
    const unsigned threads = wl__host_threads();
    uint64_t shares = count / (least ? least : 1);
    if (threads == 1 || shares < 2) {
        work(problem, 0, count);
        return;
    }
    if (shares > (uint64_t)threads * SHARES_EACH)
        shares = (uint64_t)threads * SHARES_EACH;
#ifdef _OPENMP
    const unsigned used = shares < threads ? (unsigned)shares : threads;
#pragma omp parallel for num_threads(used) schedule(dynamic, 1)
#endif
    for (uint64_t i = 0; i < shares; i++) {
        /* The first `longer` shares have one item more. */
        const uint64_t each = count / shares, longer = count % shares;
        const uint64_t first = i * each + (i < longer ? i : longer);
        work(problem, first, first + each + (i < longer));
    }
}
