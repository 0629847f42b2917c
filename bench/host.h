/* The host of a run. */
#ifndef WIDELOAD_BENCH_HOST_H
#define WIDELOAD_BENCH_HOST_H

struct bench_host {
    char cpu[128]; /* "": unknown */
    int cores;     /* cores that this process may use */
};

void bench_get_host(struct bench_host *out);

#endif
