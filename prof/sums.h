/* Counters of a launch, a kernel or a line, with what the lines tell beyond them. */
#ifndef WIDELOAD_PROF_SUMS_H
#define WIDELOAD_PROF_SUMS_H

#include "wideload.h"

struct prof_sums {
    wl_counters c;
    uint64_t branches, divergent; /* warps' branches, and those at which lanes parted */
    uint64_t outside;             /* lanes' accesses outside of what the kernel may touch, let pass */
    uint64_t undefined;           /* barriers and .sync instructions that CUDA leaves undefined, let pass */
    uint64_t shared_load_conflicts, shared_store_conflicts; /* wavefronts above the least */
};

void prof_sums_add(struct prof_sums *to, const struct prof_sums *more);

/* What the accesses of one line cost, whatever memory they are of; a line has one kind of access. */
struct prof_figures {
    uint64_t requests, transactions, wavefronts;
    /* NaN where there is nothing to divide by. */
    double transactions_per_request, wavefronts_per_request, efficiency;
};
struct prof_figures prof_figures_of(const wl_counters *counters);

/* As if it had happened so many times. */
void prof_sums_scale(struct prof_sums *sums, uint64_t times);

#endif
