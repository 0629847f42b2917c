/* Recording for a profiler: when WIDELOAD_PROF_OUT names a file, every launch of the process adds a record
 * to it.  docs/prof.md describes the records.  Without the variable nothing here does anything. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_H
#define WIDELOAD_SIM_CUDA_PROFILE_H

#include "sim/cuda/record/profile_sites.h"

/* Once, at cuInit, with the records open: says that this process is here. */
void profile_start(void);

/* Around a launch, with driver.run_lock held.  Before it, profile_begin() sets what->each. */
struct profile_launch {
    bool on;
    unsigned slot; /* in the records' account */
    struct profile_sites sites;
};
void profile_begin(struct profile_launch *profile, struct sim_launch *what);
/* fault: NULL when there was none. */
void profile_end(struct profile_launch *profile, const struct sim_launch *what,
                 const struct wl_counters *counters, const struct sim_fault *fault);

/* What the driver has to say to the user: kind is "error" or "note". */
void profile_message(const char *kind, const char *words);

#endif
