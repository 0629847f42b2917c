/* A kernel launch as it was asked for: checked, with its own copy of the parameters, to be run now or, from
 * a graph, later and often. */
#ifndef WIDELOAD_SIM_CUDA_LAUNCH_H
#define WIDELOAD_SIM_CUDA_LAUNCH_H

#include "sim/cuda/driver.h"

struct kernel_launch {
    CUfunction handle; /* as the caller gave it: a CUfunction, or a CUkernel passed as one */
    CUcontext context;
    uint32_t grid[3], block[3];
    size_t shared_bytes; /* dynamic */
    bool cooperative;
    size_t param_bytes;
    unsigned char *params; /* owned, laid out as the kernel reads them */
};

/* Checks everything that cuLaunchKernel checks, and copies the parameters out of params or extra.  The
 * configuration's stream and attributes are not looked at.  On an error nothing is to be freed. */
CUresult kernel_launch_make(struct kernel_launch *out, CUfunction handle, CUcontext context,
                            const CUlaunchConfig *config, bool cooperative, void **params, void **extra);
CUresult kernel_launch_copy(struct kernel_launch *to, const struct kernel_launch *from);
void kernel_launch_free(struct kernel_launch *launch);
/* Runs it, counted and profiled.  A kernel's fault is kept in its context.
 * Errors: INVALID_HANDLE and INVALID_CONTEXT when they were destroyed meanwhile, and those of running. */
CUresult kernel_launch_run(const struct kernel_launch *launch);

/* Whether a launch may have this attribute. */
CUresult launch_check_attribute(const CUlaunchAttribute *attribute);

#endif
