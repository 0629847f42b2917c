/* Streams.  A call's work is done, or captured, before it returns, so streams are always idle and in order.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/memory.h"
#include "sim/cuda/stream/event.h"

static _Atomic unsigned long long next_id = 3; /* the default streams have 1 and 2 */

static bool is_default(CUstream stream) {
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

CUresult stream_check(CUstream stream) {
    return is_default(stream) || object_is(stream, OBJECT_STREAM) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult stream_enter(CUstream stream, CUcontext *out) {
    CUresult error = context_enter(out);
    return error ? error : stream_check(stream);
}

CUcontext stream_context(CUstream stream, CUcontext current) {
    return is_default(stream) ? current : stream->object.context;
}

struct stream_attributes *stream_attributes(CUstream stream) {
    static struct stream_attributes of_default[2];
    return is_default(stream) ? &of_default[stream == CU_STREAM_PER_THREAD] : &stream->attributes;
}

static void release(struct object *object) {
    capture_forget_stream((CUstream)object);
    free(object);
}

bool stream_is_legacy(CUstream stream) {
    return !stream || stream == CU_STREAM_LEGACY;
}

/* A thread's default stream stores nothing but a capture, so it is created when one begins.  It is freed with
 * the driver, because its capture may outlive the thread. */
CUstream stream_state(CUstream stream, bool create) {
    static _Thread_local CUstream own;
    if (stream_is_legacy(stream))
        return NULL;
    if (stream != CU_STREAM_PER_THREAD)
        return stream;
    if (!own && create) {
        own = calloc(1, sizeof *own);
        if (own)
            object_add(&own->object, OBJECT_STREAM, NULL, release);
    }
    return own;
}

/* Numerically lower values are higher priorities. */
static int clamp_priority(int priority) {
    return priority > LIMIT_LEAST_PRIORITY      ? LIMIT_LEAST_PRIORITY
           : priority < LIMIT_GREATEST_PRIORITY ? LIMIT_GREATEST_PRIORITY
                                                : priority;
}

void stream_set_priority(CUstream stream, int priority) {
    if (!is_default(stream))
        stream->priority = clamp_priority(priority);
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!phStream || (flags != CU_STREAM_DEFAULT && flags != CU_STREAM_NON_BLOCKING))
        return CUDA_ERROR_INVALID_VALUE;
    CUstream stream = calloc(1, sizeof *stream);
    if (!stream)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stream->flags = flags;
    stream->priority = clamp_priority(priority);
    stream->id = atomic_fetch_add(&next_id, 1);
    object_add(&stream->object, OBJECT_STREAM, context, release);
    *phStream = stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) {
    return cuStreamCreateWithPriority(phStream, Flags, 0);
}

/* Works after a fault too. */
CUresult cuStreamDestroy(CUstream hStream) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (is_default(hStream) || !object_is(hStream, OBJECT_STREAM))
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(&hStream->object);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream hStream) {
    CUcontext context;
    return stream_enter_uncaptured(hStream, &context);
}

CUresult cuStreamQuery(CUstream hStream) {
    CUcontext context;
    return stream_enter_uncaptured(hStream, &context);
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(hStream, false, &context, &capturing);
    if (error)
        return error;
    if (Flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL || (Flags && !capturing))
        return CUDA_ERROR_INVALID_VALUE;
    if (!Flags)
        return event_wait(hStream, hEvent);
    struct graph_work work;
    return capture_work(graph_work_event(&work, CU_GRAPH_NODE_TYPE_WAIT_EVENT, hEvent), hStream, &work);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                             unsigned int flags) {
    CUcontext context;
    CUresult error = stream_enter_uncaptured(hStream, &context);
    if (error)
        return error;
    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    callback(hStream, CUDA_SUCCESS, userData);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(hStream, false, &context, &capturing);
    if (error)
        return error;
    if (!fn)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph_work work;
    if (capturing)
        return capture_work(graph_work_host(&work, fn, userData), hStream, &work);
    fn(userData);
    return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
    CUcontext context;
    CUresult error = stream_enter_uncaptured(hStream, &context);
    if (error)
        return error;
    struct allocation *allocation = allocation_at(dptr);
    if (!allocation || allocation->kind != ALLOCATION_MANAGED || (length && length != allocation->size))
        return CUDA_ERROR_INVALID_VALUE;
    return flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority) {
    CUcontext context;
    CUresult error = stream_enter(hStream, &context);
    if (error)
        return error;
    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    *priority = is_default(hStream) ? 0 : hStream->priority;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
    CUcontext context;
    CUresult error = stream_enter(hStream, &context);
    if (error)
        return error;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = is_default(hStream) ? CU_STREAM_DEFAULT : hStream->flags;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
    CUcontext context;
    CUresult error = stream_enter(hStream, &context);
    if (error)
        return error;
    if (!streamId)
        return CUDA_ERROR_INVALID_VALUE;
    *streamId = !is_default(hStream) ? hStream->id : hStream == CU_STREAM_PER_THREAD ? 2 : 1;
    return CUDA_SUCCESS;
}

static CUresult get_context(CUstream stream, CUcontext *out) {
    CUcontext context;
    CUresult error = stream_enter(stream, &context);
    if (error)
        return error;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = stream_context(stream, context);
    return CUDA_SUCCESS;
}

#undef cuStreamGetCtx
ENTRY_EXPORT CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx);
CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
    return get_context(hStream, pctx);
}

#if CUDA_VERSION >= 12050
#undef cuStreamGetCtx_v2
ENTRY_EXPORT CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx);
CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx) {
    if (pGreenCtx)
        *pGreenCtx = NULL;
    return get_context(hStream, pCtx);
}
#endif

#if CUDA_VERSION >= 12080
CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device) {
    CUcontext context;
    CUresult error = get_context(hStream, &context);
    if (error)
        return error;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}
#endif
