/* Recording for a profiler: when WIDELOAD_PROF_OUT names a file, every launch of the process adds a record
 * to it.  docs/prof.md describes the records.  Without the variable nothing here does anything.
 *
 * A record is one line of JSON, appended by one write, so records of threads and of forked children never
 * mix; the file is open only meanwhile, so that it takes no descriptor from the program. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_H
#define WIDELOAD_SIM_CUDA_PROFILE_H

#include "sim/cuda/profile_sites.h"

/* Once, at cuInit: reads the variable, and says that this process is here. */
void profile_start(void);
bool profile_is_on(void);

/* Around a launch, with driver.run_lock held.  Before it, profile_begin() sets what->each. */
struct profile_launch {
    bool on;
    struct profile_sites sites;
};
void profile_begin(struct profile_launch *profile, struct sim_launch *what);
/* fault: NULL when there was none. */
void profile_end(struct profile_launch *profile, const struct sim_launch *what,
                 const struct wl_counters *counters, const struct sim_fault *fault);

/* What the driver has to say to the user: kind is "error" or "note". */
void profile_message(const char *kind, const char *words);

/* Appends a record that the caller made: one line of JSON without its newline.  From any thread. */
void profile_append(struct profile_text *text);

#endif
