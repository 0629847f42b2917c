/* Contexts: creation, destruction and the current context of a thread. */
#include <stdlib.h>

#include "sim/cuda/check.h"
#include "sim/cuda/driver.h"

enum { STACK_DEPTH = 256 };

/* Stores a context's id with its address, because a new context may get a destroyed one's address. */
struct slot {
    CUcontext context;
    unsigned long long id;
};

static _Thread_local struct slot stack[STACK_DEPTH];
static _Thread_local unsigned depth;
static _Atomic unsigned long long next_id = 1;

static bool is_live(const struct slot *slot) {
    return object_is(slot->context, OBJECT_CONTEXT) && slot->context->id == slot->id;
}

static struct slot slot_of(CUcontext context) {
    return (struct slot){.context = context, .id = context ? context->id : 0};
}

CUresult context_current(CUcontext *out) {
    *out = NULL;
    CUresult error = driver_check();
    if (error)
        return error;
    if (!depth || !stack[depth - 1].context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!is_live(&stack[depth - 1]))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *out = stack[depth - 1].context;
    return CUDA_SUCCESS;
}

CUresult context_enter(CUcontext *out) {
    CUresult error = context_current(out);
    return error ? error : (CUresult)atomic_load_explicit(&(*out)->fault, memory_order_relaxed);
}

static void set_defaults(CUcontext context) {
    context->cache = CU_FUNC_CACHE_PREFER_NONE;
    context->shared = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    for (int i = 0; i < CU_LIMIT_MAX; i++)
        atomic_store(&context->limits[i], 0);
    atomic_store(&context->limits[CU_LIMIT_STACK_SIZE], 1024);
    atomic_store(&context->limits[CU_LIMIT_PRINTF_FIFO_SIZE], (size_t)6912 * 1024);
    atomic_store(&context->limits[CU_LIMIT_MALLOC_HEAP_SIZE], (size_t)8 << 20);
    atomic_store(&context->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH], 2);
    atomic_store(&context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT], 2048);
    atomic_store(&context->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY], 64);
    atomic_store(&context->fault, CUDA_SUCCESS);
}

static void release(struct object *object) {
    CUcontext context = (CUcontext)object;
    work_wait();
    check_leaks(context);
    object_destroy_owned(context);
    context_free_heap(context);
    peer_forget(context);
    free(context);
}

CUresult context_create(CUcontext *out, CUdevice device, unsigned flags, bool primary) {
    CUcontext context = calloc(1, sizeof *context);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->id = atomic_fetch_add(&next_id, 1);
    context->device = device;
    context->memory = sim_memory_of(driver.memory, (unsigned)device);
    context->flags = flags;
    context->api_version = 13000;
    context->primary = primary;
    set_defaults(context);
    object_add(&context->object, OBJECT_CONTEXT, NULL, release);
    *out = context;
    return CUDA_SUCCESS;
}

void context_clear(CUcontext context) {
    work_wait();
    check_leaks(context);
    object_destroy_owned(context);
    context_free_heap(context);
    peer_forget(context);
    set_defaults(context);
}

void context_destroy(CUcontext context) {
    object_destroy(&context->object);
}

static CUresult push(CUcontext context) {
    if (depth == STACK_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = slot_of(context);
    return CUDA_SUCCESS;
}

static CUresult create_current(CUcontext *pctx, unsigned flags, CUdevice dev) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!pctx || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    error = driver_check_device(dev);
    if (!error)
        error = context_create(pctx, dev, flags, false);
    if (error)
        return error;
    error = push(*pctx);
    if (error)
        context_destroy(*pctx);
    return error;
}

/* Returns the current context and adds a reference, for cuCtxDetach.  Deprecated, but declared. */
#undef cuCtxCreate
ENTRY_EXPORT CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    return create_current(pctx, flags, dev);
}

ENTRY_EXPORT CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                                     unsigned int flags, CUdevice dev);
CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                        CUdevice dev) {
    if (numParams < 0 || (numParams > 0 && !paramsArray))
        return CUDA_ERROR_INVALID_VALUE;
    return numParams ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create_current(pctx, flags, dev);
}

#if CUDA_VERSION >= 12050
ENTRY_EXPORT CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                                     CUdevice dev);
CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
    if (ctxCreateParams && ctxCreateParams->numExecAffinityParams)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (ctxCreateParams && ctxCreateParams->cigParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return create_current(pctx, flags, dev);
}
#endif

CUresult cuCtxDestroy(CUcontext ctx) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!object_is(ctx, OBJECT_CONTEXT) || ctx->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth && stack[depth - 1].context == ctx)
        depth--;
    context_destroy(ctx);
    return CUDA_SUCCESS;
}

/* Returns the current context and counts one more detach to come.  Deprecated, but declared. */
CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags) {
    CUcontext context;
    CUresult error = context_current(&context);
    if (error)
        return error;
    if (!pctx || flags)
        return CUDA_ERROR_INVALID_VALUE;
    __atomic_add_fetch(&context->attached, 1, __ATOMIC_RELAXED);
    *pctx = context;
    return CUDA_SUCCESS;
}

/* Detaching more often than attaching destroys the context, unless it is a primary one. */
CUresult cuCtxDetach(CUcontext ctx) {
    CUcontext context;
    CUresult error = context_current(&context);
    if (error || ctx != context)
        return error ? error : CUDA_ERROR_INVALID_CONTEXT;
    unsigned attached = __atomic_load_n(&context->attached, __ATOMIC_RELAXED);
    while (attached && !__atomic_compare_exchange_n(&context->attached, &attached, attached - 1, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    return attached || context->primary ? CUDA_SUCCESS : cuCtxDestroy(context);
}

CUresult cuCtxPushCurrent(CUcontext ctx) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(ctx, OBJECT_CONTEXT) ? push(ctx) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent(CUcontext *pctx) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (pctx)
        *pctx = stack[depth].context;
    return CUDA_SUCCESS;
}

/* Replaces the top of the stack; NULL pops it. */
CUresult cuCtxSetCurrent(CUcontext ctx) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!ctx) {
        if (depth)
            depth--;
        return CUDA_SUCCESS;
    }
    if (!object_is(ctx, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!depth)
        return push(ctx);
    stack[depth - 1] = slot_of(ctx);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = depth && is_live(&stack[depth - 1]) ? stack[depth - 1].context : NULL;
    return CUDA_SUCCESS;
}
