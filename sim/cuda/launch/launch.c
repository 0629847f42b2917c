/* Kernel launches: CUDA's checks of the arguments, and the handling of faults. */
#include "sim/cuda/launch/launch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/memory.h"
#include "sim/cuda/module/module.h"
#include "sim/cuda/record/profile.h"

/* The maximum alignment of a parameter.  Also makes the allocation for no parameters non-empty. */
enum { PARAMETER_ALIGNMENT = 16 };

static CUresult check_shape(const struct sim_function_info *info, const uint32_t grid[3],
                            const uint32_t block[3]) {
    for (int i = 0; i < 3; i++)
        if (!grid[i] || !block[i])
            return CUDA_ERROR_INVALID_VALUE;
    if (grid[0] > LIMIT_GRID_X || grid[1] > LIMIT_GRID_YZ || grid[2] > LIMIT_GRID_YZ)
        return CUDA_ERROR_INVALID_VALUE;
    /* A product of two cannot wrap; that of all three could. */
    const uint64_t layer = (uint64_t)block[0] * block[1];
    if (layer > LIMIT_BLOCK_THREADS || block[2] > LIMIT_BLOCK_Z)
        return CUDA_ERROR_INVALID_VALUE;
    /* The kernel's compiled maximum, which is never above the device's. */
    return layer * block[2] > info->max_threads ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult check_shared(CUfunction function, size_t dynamic) {
    int allowed;
    CUresult error =
        function_get_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &allowed);
    if (error)
        return error;
    /* With the function's static memory this never exceeds a block's maximum. */
    return dynamic > (size_t)allowed ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Fills the parameter buffer from kernelParams (one pointer each) or extra (all in one buffer). */
static CUresult gather(const struct sim_function_info *info, void **params, void **extra,
                       unsigned char *buffer) {
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (params) {
        for (size_t i = 0; i < info->param_count; i++) {
            if (!params[i])
                return CUDA_ERROR_INVALID_VALUE;
            memcpy(buffer + info->params[i].offset, params[i], info->params[i].size);
        }
        return CUDA_SUCCESS;
    }
    const void *packed = NULL;
    size_t size = 0;
    for (size_t i = 0; extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            packed = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
            size = *(const size_t *)extra[i + 1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!info->param_bytes)
        return CUDA_SUCCESS;
    if (!packed || size < info->param_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(buffer, packed, info->param_bytes);
    return CUDA_SUCCESS;
}

static CUresult fault_error(const struct sim_fault *fault) {
    switch (fault->kind) {
    case SIM_FAULT_ADDRESS:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case SIM_FAULT_MISALIGNED:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case SIM_FAULT_DEADLOCK:
    case SIM_FAULT_TIME:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case SIM_FAULT_TRAP:
        return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case SIM_FAULT_ASSERT:
        return CUDA_ERROR_ASSERT;
    case SIM_FAULT_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

static void add_counters(const struct wl_counters *more) {
    pthread_mutex_lock(&driver.counters_lock);
#define ADD(name) driver.counters.name += more->name;
    WL_COUNTER_MAP(ADD)
#undef ADD
    pthread_mutex_unlock(&driver.counters_lock);
}

static CUresult run(CUcontext context, const struct sim_launch *what) {
    struct sim_launch recorded = *what;
    struct profile_launch profile;
    struct wl_counters counters;
    struct sim_fault fault;
    memset(&counters, 0, sizeof counters);
    memset(&fault, 0, sizeof fault);
    pthread_mutex_lock(&driver.run_lock);
    profile_begin(&profile, &recorded);
    bool good = sim_launch_run(&recorded, &counters, &fault);
    profile_end(&profile, &recorded, &counters, good ? NULL : &fault);
    pthread_mutex_unlock(&driver.run_lock);
    add_counters(&counters);
    if (good)
        return CUDA_SUCCESS;
    CUresult error = fault_error(&fault);
    log_error("%s", fault.text);
    /* If the simulator itself is out of memory, the program did nothing wrong and may continue. */
    if (error == CUDA_ERROR_OUT_OF_MEMORY)
        return error;
    int none = CUDA_SUCCESS;
    atomic_compare_exchange_strong(&context->fault, &none, (int)error);
    return driver.blocking ? error : CUDA_SUCCESS;
}

/* All blocks of a cooperative launch must fit on the device at once. */
static CUresult check_cooperative(CUfunction function, const struct kernel_launch *what) {
    uint64_t blocks = (uint64_t)what->grid[0] * what->grid[1] * what->grid[2];
    size_t threads = (size_t)what->block[0] * what->block[1] * what->block[2];
    size_t fit = occupancy_blocks(function, threads, what->shared_bytes) * LIMIT_MULTIPROCESSORS;
    return blocks > fit ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

static CUresult make(struct kernel_launch *out, CUfunction handle, CUcontext context,
                     const CUlaunchConfig *config, void **params, void **extra) {
    CUfunction function;
    CUresult error = function_resolve(handle, context, &function);
    if (error)
        return error;
    if (function->object.context != context)
        return CUDA_ERROR_INVALID_CONTEXT;
    *out = (struct kernel_launch){
        .handle = handle,
        .context = context,
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
        .param_bytes = function->info.param_bytes,
    };
    for (unsigned i = 0; i < config->numAttrs; i++)
        kernel_launch_add_attribute(out, &config->attrs[i]);
    error = check_shape(&function->info, out->grid, out->block);
    if (!error)
        error = check_shared(function, out->shared_bytes);
    if (!error && out->cooperative)
        error = check_cooperative(function, out);
    if (error)
        return error;
    out->params = calloc(1, out->param_bytes + PARAMETER_ALIGNMENT);
    if (!out->params)
        return CUDA_ERROR_OUT_OF_MEMORY;
    error = gather(&function->info, params, extra, out->params);
    if (error)
        kernel_launch_free(out);
    return error;
}

CUresult kernel_launch_make(struct kernel_launch *out, CUfunction handle, CUcontext context,
                            const CUlaunchConfig *config, void **params, void **extra) {
    struct work work;
    work_begin(&work);
    CUresult error = make(out, handle, context, config, params, extra);
    work_end(&work);
    return error;
}

void kernel_launch_add_attribute(struct kernel_launch *launch, const CUlaunchAttribute *attribute) {
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        launch->cooperative = attribute->value.cooperative != 0;
    cluster_request_add(&launch->cluster, attribute);
}

void kernel_launch_copy_attributes(struct kernel_launch *to, const struct kernel_launch *from) {
    to->cooperative = from->cooperative;
    to->cluster = from->cluster;
}

CUresult kernel_launch_copy(struct kernel_launch *to, const struct kernel_launch *from) {
    *to = *from;
    to->params = malloc(from->param_bytes + PARAMETER_ALIGNMENT);
    if (!to->params)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(to->params, from->params, from->param_bytes + PARAMETER_ALIGNMENT);
    return CUDA_SUCCESS;
}

void kernel_launch_free(struct kernel_launch *launch) {
    free(launch->params);
    launch->params = NULL;
}

static CUresult resolve_and_run(const struct kernel_launch *launch) {
    CUfunction function;
    if (!object_is(launch->context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult error = function_resolve(launch->handle, launch->context, &function);
    /* The handle may refer to another function by now: never read past the parameters. */
    if (!error && function->info.param_bytes != launch->param_bytes)
        error = CUDA_ERROR_INVALID_HANDLE;
    uint32_t cluster[3];
    if (!error)
        error = cluster_choose(function, launch->grid, &launch->cluster, cluster);
    if (error)
        return error;
    struct sim_launch what = {
        .memory = launch->context->memory,
        .peers = atomic_load(&launch->context->peers),
        .textures = driver.textures,
        .function = function->sim,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .cluster = {cluster[0], cluster[1], cluster[2]},
        .shared_bytes = launch->shared_bytes,
        .params = launch->params,
        .rules = atomic_load(&driver.rules),
        .threads = driver.threads,
        .check = check_session(),
        .cooperative = launch->cooperative,
    };
    error = context_services(launch->context, &what);
    return error ? error : run(launch->context, &what);
}

CUresult kernel_launch_run(const struct kernel_launch *launch) {
    struct work work;
    work_begin(&work);
    CUresult error = resolve_and_run(launch);
    work_end(&work);
    return error;
}

/* A captured launch is rejected in the same cases as one that runs. */
static CUresult check_cluster(const struct kernel_launch *launch) {
    CUfunction function;
    uint32_t cluster[3];
    CUresult error = function_resolve(launch->handle, launch->context, &function);
    return error ? error : cluster_choose(function, launch->grid, &launch->cluster, cluster);
}

static CUresult launch(CUfunction handle, const CUlaunchConfig *config, void **params, void **extra) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(config->hStream, false, &context, &capturing);
    if (error)
        return error;
    CUcontext owner = stream_context(config->hStream, context);
    if (owner != context) {
        /* A kernel runs in its stream's context, but a function has a context of its own. */
        if (!object_is(handle, OBJECT_KERNEL))
            return CUDA_ERROR_INVALID_HANDLE;
        context = owner;
        error = (CUresult)atomic_load(&context->fault);
        if (error)
            return error;
    }
    struct kernel_launch made;
    error = kernel_launch_make(&made, handle, context, config, params, extra);
    if (error)
        return error;
    if (capturing && !(error = check_cluster(&made)))
        return capture_kernel(config, &made);
    if (!error)
        error = kernel_launch_run(&made);
    kernel_launch_free(&made);
    return error;
}

static CUlaunchConfig plain_config(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream) {
    return (CUlaunchConfig){.gridDimX = grid_x,
                            .gridDimY = grid_y,
                            .gridDimZ = grid_z,
                            .blockDimX = block_x,
                            .blockDimY = block_y,
                            .blockDimZ = block_z,
                            .sharedMemBytes = shared_bytes,
                            .hStream = stream};
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
    CUlaunchConfig config =
        plain_config(gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream);
    return launch(f, &config, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                   unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams) {
    CUlaunchConfig config =
        plain_config(gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream);
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return launch(f, &config, kernelParams, NULL);
}

/* Uses CUDA's numbers for attributes whose names an older cuda.h may lack. */
CUresult launch_check_attribute(const CUlaunchAttribute *attribute) {
    switch ((int)attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER: {
        const unsigned size[] = {attribute->value.clusterDim.x, attribute->value.clusterDim.y,
                                 attribute->value.clusterDim.z};
        return size[0] && size[1] && size[2] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        return object_is(attribute->value.programmaticEvent.event, OBJECT_EVENT) ? CUDA_SUCCESS
                                                                                 : CUDA_ERROR_INVALID_HANDLE;
#if CUDA_VERSION >= 12030
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return object_is(attribute->value.launchCompletionEvent.event, OBJECT_EVENT)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_HANDLE;
#endif
    case 13 /* DEVICE_UPDATABLE_KERNEL_NODE */:
        return CUDA_ERROR_NOT_SUPPORTED;
    default: /* the rest concern speed, or an order that always holds here */
        return (unsigned)attribute->id <= 16 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult record_event(const CUlaunchAttribute *attribute, CUstream stream) {
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
        return cuEventRecord(attribute->value.programmaticEvent.event, stream);
#if CUDA_VERSION >= 12030
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
        return cuEventRecord(attribute->value.launchCompletionEvent.event, stream);
#endif
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        error = launch_check_attribute(&config->attrs[i]);
        if (error)
            return error;
    }
    error = launch(f, config, kernelParams, extra);
    for (unsigned i = 0; i < config->numAttrs && !error; i++)
        error = record_event(&config->attrs[i], config->hStream);
    return error;
}
