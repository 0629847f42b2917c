/* Clusters of blocks: a launch's cluster size, and how many clusters the device holds.  The rules were
 * observed on an H200. */
#include <string.h>

#include "sim/cuda/launch/launch.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/module/module.h"

/* Cluster sizes in blocks: supported by every device with clusters, and by this one with opt-in. */
enum { PORTABLE = 8, LARGEST = SIM_MAX_CLUSTER };

/* The cluster size that the kernel requires of every launch, compiled in or set by attributes; zeros: none.
 * False: its attributes are only partly set. */
static bool required(const struct CUfunc_st *function, uint32_t out[3]) {
    unsigned given = 0;
    for (int d = 0; d < 3; d++) {
        out[d] = function->info.cluster[0] ? function->info.cluster[d]
                                           : (uint32_t)atomic_load(&function->required_cluster[d]);
        given += out[d] != 0;
    }
    return given == 0 || given == 3;
}

CUresult cluster_choose(const struct CUfunc_st *function, const uint32_t grid[3],
                        const struct cluster_request *asked, uint32_t out[3]) {
    uint32_t own[3];
    if (!required(function, own))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    memcpy(out, asked->given ? asked->size : own, sizeof own);
    if (!asked->given && !own[0])
        return function->info.explicit_cluster || asked->preferred_given ? CUDA_ERROR_INVALID_CLUSTER_SIZE
                                                                         : CUDA_SUCCESS;
    uint64_t blocks = 1, most = atomic_load(&function->non_portable_cluster) ? LARGEST : PORTABLE;
    if (function->info.max_cluster && function->info.max_cluster < most)
        most = function->info.max_cluster;
    for (int d = 0; d < 3; d++) {
        if (!out[d] || out[d] > LARGEST || grid[d] % out[d] || (own[0] && out[d] != own[d]))
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        if (asked->preferred_given && (!asked->preferred[d] || asked->preferred[d] % out[d]))
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        blocks *= out[d];
    }
    if (blocks > 1 && count_rules_capability(atomic_load(&driver.rules)) < CLUSTERS_FROM)
        return CUDA_ERROR_NOT_SUPPORTED;
    return blocks > most ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
}

void cluster_request_add(struct cluster_request *request, const CUlaunchAttribute *attribute) {
    bool preferred = (int)attribute->id == LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER;
    if (!preferred && attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        return;
    uint32_t *to = preferred ? request->preferred : request->size;
    to[0] = attribute->value.clusterDim.x;
    to[1] = attribute->value.clusterDim.y;
    to[2] = attribute->value.clusterDim.z;
    *(preferred ? &request->preferred_given : &request->given) = true;
}

/* ---------------------------------------------------------------- occupancy */

static CUresult enter(CUfunction handle, const CUlaunchConfig *config, CUfunction *out, uint32_t cluster[3]) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (!error)
        error = function_resolve(handle, context, out);
    if (error)
        return error;
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    struct cluster_request request = {0};
    for (unsigned i = 0; i < config->numAttrs; i++)
        cluster_request_add(&request, &config->attrs[i]);
    const uint32_t grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ};
    return cluster_choose(*out, grid, &request, cluster);
}

static size_t blocks_of(CUfunction function, const CUlaunchConfig *config) {
    size_t threads = (size_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    return threads ? occupancy_blocks(function, threads, config->sharedMemBytes) : 0;
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func, const CUlaunchConfig *config) {
    CUfunction function;
    uint32_t cluster[3];
    CUresult error = enter(func, config, &function, cluster);
    if (error)
        return error;
    if (!clusterSize)
        return CUDA_ERROR_INVALID_VALUE;
    *clusterSize = !blocks_of(function, config)                   ? 0
                   : atomic_load(&function->non_portable_cluster) ? LARGEST
                                                                  : PORTABLE;
    return CUDA_SUCCESS;
}

/* A cluster lies within a group of multiprocessors (GPC).  The GPCs of H200s differ in size from one card to
 * the next, so the result is close to a real card's but not always equal. */
CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config) {
    static const unsigned groups[] = {18, 18, 18, 18, 18, 18, 16, 8};
    CUfunction function;
    uint32_t cluster[3];
    CUresult error = enter(func, config, &function, cluster);
    if (error)
        return error;
    if (!numClusters)
        return CUDA_ERROR_INVALID_VALUE;
    size_t blocks = blocks_of(function, config), size = (size_t)cluster[0] * cluster[1] * cluster[2],
           count = 0;
    /* An H200 returns this if no dynamic shared memory is requested. */
    if (!config->sharedMemBytes && blocks > 8)
        blocks = 8;
    for (size_t i = 0; size && i < sizeof groups / sizeof *groups; i++)
        count += groups[i] < size ? 0 : groups[i] * blocks / size;
    *numClusters = (int)count;
    return CUDA_SUCCESS;
}
