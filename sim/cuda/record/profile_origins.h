/* Records of where arrays came from, one for each array that sampled launches used. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_ORIGINS_H
#define WIDELOAD_SIM_CUDA_PROFILE_ORIGINS_H

#include "sim/exec/sample/sample.h"

/* Both are called holding driver.run_lock. */
/* Records the array, unless that was done before. */
void profile_origin_tell(const struct sim_array *array);
/* For a process that has recorded nothing yet. */
void profile_origins_forget(void);

#endif
