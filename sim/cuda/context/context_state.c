/* A context's properties and settings. */
#include "sim/cuda/driver.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"

/* ctx, or the current context if it is NULL. */
static CUresult choose(CUcontext ctx, CUcontext *out) {
    if (!ctx)
        return context_current(out);
    CUresult error = driver_check();
    if (error)
        return error;
    *out = ctx;
    return object_is(ctx, OBJECT_CONTEXT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult get_device(CUdevice *device, CUcontext ctx) {
    CUresult error = choose(ctx, &ctx);
    if (error)
        return error;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = ctx->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    return get_device(device, NULL);
}

/* All submitted work has run, so this only reports a fault. */
static CUresult synchronize(CUcontext ctx) {
    CUresult error = choose(ctx, &ctx);
    if (!error)
        error = capture_check_context(ctx);
    return error ? error : (CUresult)atomic_load(&ctx->fault);
}

CUresult cuCtxSynchronize(void) {
    return synchronize(NULL);
}

#if CUDA_VERSION >= 13000
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
    return get_device(device, ctx);
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
    return synchronize(ctx);
}
#endif

CUresult cuCtxGetFlags(unsigned int *flags) {
    CUcontext context;
    CUresult error = context_current(&context);
    if (error)
        return error;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12010
CUresult cuCtxSetFlags(unsigned int flags) {
    CUcontext context;
    CUresult error = context_current(&context);
    if (error)
        return error;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    context->flags = flags;
    return CUDA_SUCCESS;
}
#endif

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
    CUresult error = choose(ctx, &ctx);
    if (error)
        return error;
    if (!ctxId)
        return CUDA_ERROR_INVALID_VALUE;
    *ctxId = ctx->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
    CUresult error = choose(ctx, &ctx);
    if (error)
        return error;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = ctx->api_version;
    return CUDA_SUCCESS;
}

/* Every context has all multiprocessors; there are none with fewer. */
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type) {
    CUcontext context;
    CUresult error = context_current(&context);
    if (error)
        return error;
    if (!pExecAffinity || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    pExecAffinity->type = type;
    pExecAffinity->param.smCount.val = LIMIT_MULTIPROCESSORS;
    return CUDA_SUCCESS;
}

/* The limit on synchronization depth disappeared with the first dynamic parallelism. */
static bool is_limit(CUlimit limit) {
    return (unsigned)limit <= CU_LIMIT_PERSISTING_L2_CACHE_SIZE && limit != CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH;
}

/* CU_LIMIT_SHMEM_SIZE and CU_LIMIT_CIG_ENABLED, for contexts that share a device with graphics. */
static bool is_limit_of_graphics(CUlimit limit) {
    return (unsigned)limit == 7 || (unsigned)limit == 8;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (is_limit_of_graphics(limit))
        return CUDA_ERROR_NOT_PERMITTED;
    if (!is_limit(limit))
        return (unsigned)limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value > LIMIT_PERSISTING_L2_BYTES)
        value = LIMIT_PERSISTING_L2_BYTES;
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > 128)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && !context_resize_heap(context, value))
        return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&context->limits[limit], value);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!pvalue)
        return CUDA_ERROR_INVALID_VALUE;
    *pvalue = 0;
    if (is_limit_of_graphics(limit))
        return CUDA_SUCCESS;
    if (!is_limit(limit))
        return (unsigned)limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
    *pvalue = atomic_load(&context->limits[limit]);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!pconfig)
        return CUDA_ERROR_INVALID_VALUE;
    *pconfig = context->cache;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    context->cache = config;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!pConfig)
        return CUDA_ERROR_INVALID_VALUE;
    *pConfig = context->shared;
    return CUDA_SUCCESS;
}

/* Banks have been 4 bytes wide since Maxwell; another setting is accepted and has no effect, as there. */
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
                                                                        : CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (leastPriority)
        *leastPriority = LIMIT_LEAST_PRIORITY;
    if (greatestPriority)
        *greatestPriority = LIMIT_GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void) {
    CUcontext context;
    return context_enter(&context);
}
