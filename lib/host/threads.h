/* Threads of the host device. */
#ifndef WIDELOAD_LIB_HOST_THREADS_H
#define WIDELOAD_LIB_HOST_THREADS_H

#include <stdint.h>

/* Call once, before wl__host_share(). */
void wl__host_threads_prepare(void);

/* The threads that work may be shared among: OpenMP's; 1 without it, and in a process that fork() made. */
unsigned wl__host_threads(void);

/* A share of the work: items first .. end - 1. */
typedef void wl__host_work(const void *problem, uint64_t first, uint64_t end);

/* Does items 0 .. count - 1, in shares of at least `least` items that threads take as they come.  Returns
 * when all are done.  If there are fewer than two shares, or one thread, the calling thread does them all at
 * once.
 */
void wl__host_share(wl__host_work *work, const void *problem, uint64_t count, uint64_t least);

#endif
