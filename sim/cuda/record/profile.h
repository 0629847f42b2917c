/* Recording for a profiler: if WIDELOAD_PROF_OUT names a file, every launch of the process appends a record
 * to it. docs/prof.md describes the records.  Without the variable these functions do nothing. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_H
#define WIDELOAD_SIM_CUDA_PROFILE_H

#include "sim/cuda/record/profile_sites.h"
#include "sim/exec/sim.h"

/* Call once, in cuInit, with the records open: records that this process exists. */
void profile_start(void);

/* Whether launches are sampled for a page: WIDELOAD_PROF_PAGE is set, and launches are recorded. */
bool profile_is_sampling(void);

/* Call around a launch, holding driver.run_lock.  profile_begin() sets what->each, and what->array if the
 * launch is sampled. */
struct profile_launch {
    bool on;
    unsigned slot; /* in the records' account */
    struct profile_sites sites;
    struct profile_text arrays; /* without brackets; empty: the launch used none, or is not sampled */
};
void profile_begin(struct profile_launch *profile, struct sim_launch *what);
/* fault: NULL if there was none. */
void profile_end(struct profile_launch *profile, const struct sim_launch *what,
                 const struct wl_counters *counters, const struct sim_fault *fault);

/* Records a message of the driver to the user.  kind: "error" or "note". */
void profile_message(const char *kind, const char *words);

#endif
