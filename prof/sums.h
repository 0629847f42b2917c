/* Counters of a launch, a kernel or a line, and further sums over lines. */
#ifndef WIDELOAD_PROF_SUMS_H
#define WIDELOAD_PROF_SUMS_H

#include "wideload.h"

struct prof_sums {
    wl_counters c;
    uint64_t branches, divergent; /* warps' branches, and those that diverged */
    uint64_t outside;             /* lanes' accesses outside the kernel's memory that were allowed */
    uint64_t undefined;           /* barriers and .sync instructions, undefined in CUDA, that were allowed */
    uint64_t shared_load_conflicts, shared_store_conflicts; /* wavefronts above the minimum */
};

void prof_sums_add(struct prof_sums *to, const struct prof_sums *more);

/* The cost of a line's accesses, to any kind of memory.  A line has one kind of access. */
struct prof_figures {
    uint64_t requests, transactions, wavefronts;
    /* NaN: no requests. */
    double transactions_per_request, wavefronts_per_request, efficiency;
};
struct prof_figures prof_figures_of(const wl_counters *counters);

/* Multiplies the sums by `times`. */
void prof_sums_scale(struct prof_sums *sums, uint64_t times);

#endif
