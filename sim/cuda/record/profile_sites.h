/* A launch's instruction counts, by source line and kind of instruction. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_SITES_H
#define WIDELOAD_SIM_CUDA_PROFILE_SITES_H

#include "sim/cuda/record/profile_samples.h"
#include "sim/exec/sim.h"

/* Instructions of one kind on one line that access memory in the same way. */
struct profile_site {
    struct sim_instruction_count count; /* summed; the opcode is the first instruction's */
    char op[64];                        /* "ld.global.v4.f32", "branch", "other" */
    struct sim_kind *kinds;             /* of its requests; NULL: none, or the launch is not sampled */
};

struct profile_sites {
    struct profile_site *items; /* may have duplicate sites until profile_sites_merge() */
    size_t count, capacity;
    bool failed; /* out of memory: sites are missing */
};

/* A sim_instruction_fn; the argument is a struct profile_sites. */
void profile_sites_add(void *sites, const struct sim_instruction_count *count);
/* Sorts by place and sums duplicates. */
void profile_sites_merge(struct profile_sites *sites);
/* Writes an array of objects.  kernel: the launch's; its own instructions do not name their function. */
void profile_sites_put(const struct profile_sites *sites, const char *kernel, struct profile_text *text);
void profile_sites_free(struct profile_sites *sites);

/* Writes the counters that are not 0 as an object, without launches. */
void profile_put_counters(struct profile_text *text, const struct wl_counters *counters);

#endif
