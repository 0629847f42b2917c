/* A kernel launch: checked, with its own copy of the parameters; runs at once, or repeatedly from a graph. */
#ifndef WIDELOAD_SIM_CUDA_LAUNCH_H
#define WIDELOAD_SIM_CUDA_LAUNCH_H

#include "sim/cuda/driver.h"

/* CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, which older versions of cuda.h lack; its value has the
 * layout of CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION's. */
enum { LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER = 11 };

/* The attributes that concern clusters. */
struct cluster_request {
    bool given, preferred_given;
    uint32_t size[3], preferred[3];
};

struct kernel_launch {
    CUfunction handle; /* as the caller passed it: a CUfunction, or a CUkernel passed as one */
    CUcontext context;
    uint32_t grid[3], block[3];
    size_t shared_bytes; /* dynamic */
    bool cooperative;
    struct cluster_request cluster;
    size_t param_bytes;
    unsigned char *params; /* owned, in the kernel's layout */
};

/* Checks everything that cuLaunchKernelEx checks except clusters, which a graph's node may get later, and
 * copies the parameters from params or extra.  It ignores the configuration's stream.  On an error there is
 * nothing to free. */
CUresult kernel_launch_make(struct kernel_launch *out, CUfunction handle, CUcontext context,
                            const CUlaunchConfig *config, void **params, void **extra);
CUresult kernel_launch_copy(struct kernel_launch *to, const struct kernel_launch *from);
/* Stores an attribute that the launch itself keeps. */
void kernel_launch_add_attribute(struct kernel_launch *launch, const CUlaunchAttribute *attribute);
void kernel_launch_copy_attributes(struct kernel_launch *to, const struct kernel_launch *from);
void kernel_launch_free(struct kernel_launch *launch);
/* Runs it, counted and profiled.  A kernel's fault is stored in its context.
 * Errors: INVALID_HANDLE and INVALID_CONTEXT if they have been destroyed, and those of running. */
CUresult kernel_launch_run(const struct kernel_launch *launch);

/* Whether a launch may have this attribute, judged by the attribute alone. */
CUresult launch_check_attribute(const CUlaunchAttribute *attribute);

/* cluster.c.  Chooses the launch's cluster size (zeros: none).  Errors: INVALID_CLUSTER_SIZE; NOT_SUPPORTED
 * on devices before compute capability 9.0. */
CUresult cluster_choose(const struct CUfunc_st *function, const uint32_t grid[3],
                        const struct cluster_request *asked, uint32_t out[3]);
/* Stores an attribute if it is about clusters. */
void cluster_request_add(struct cluster_request *request, const CUlaunchAttribute *attribute);

#endif
