/* A kernel launch as it was asked for: checked, with its own copy of the parameters, to be run now or, from
 * a graph, later and often. */
#ifndef WIDELOAD_SIM_CUDA_LAUNCH_H
#define WIDELOAD_SIM_CUDA_LAUNCH_H

#include "sim/cuda/driver.h"

/* CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, which older versions of cuda.h lack; its value is laid out
 * as that of the other one. */
enum { LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER = 11 };

/* What the attributes say of clusters. */
struct cluster_request {
    bool given, preferred_given;
    uint32_t size[3], preferred[3];
};

struct kernel_launch {
    CUfunction handle; /* as the caller gave it: a CUfunction, or a CUkernel passed as one */
    CUcontext context;
    uint32_t grid[3], block[3];
    size_t shared_bytes; /* dynamic */
    bool cooperative;
    struct cluster_request cluster;
    size_t param_bytes;
    unsigned char *params; /* owned, laid out as the kernel reads them */
};

/* Checks everything that cuLaunchKernelEx checks but for clusters, which a node of a graph may get later, and
 * copies the parameters out of params or extra.  The configuration's stream is not looked at.  On an error
 * nothing is to be freed. */
CUresult kernel_launch_make(struct kernel_launch *out, CUfunction handle, CUcontext context,
                            const CUlaunchConfig *config, void **params, void **extra);
CUresult kernel_launch_copy(struct kernel_launch *to, const struct kernel_launch *from);
/* What of the attributes the launch itself keeps. */
void kernel_launch_add_attribute(struct kernel_launch *launch, const CUlaunchAttribute *attribute);
void kernel_launch_copy_attributes(struct kernel_launch *to, const struct kernel_launch *from);
void kernel_launch_free(struct kernel_launch *launch);
/* Runs it, counted and profiled.  A kernel's fault is kept in its context.
 * Errors: INVALID_HANDLE and INVALID_CONTEXT when they were destroyed meanwhile, and those of running. */
CUresult kernel_launch_run(const struct kernel_launch *launch);

/* Whether a launch may have this attribute, as far as it alone says. */
CUresult launch_check_attribute(const CUlaunchAttribute *attribute);

/* cluster.c.  The clusters that a launch has (zeros: none).  Errors: INVALID_CLUSTER_SIZE; NOT_SUPPORTED by
 * devices before compute capability 9.0. */
CUresult cluster_choose(const struct CUfunc_st *function, const uint32_t grid[3],
                        const struct cluster_request *asked, uint32_t out[3]);
/* Notes what an attribute says, if it is about clusters. */
void cluster_request_add(struct cluster_request *request, const CUlaunchAttribute *attribute);

#endif
