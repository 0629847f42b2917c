/* Events: moments of the host's monotonic clock. */
#include "sim/cuda/event.h"

#include <stdlib.h>
#include <time.h>

#include "sim/cuda/capture.h"

struct CUevent_st {
    struct object object;
    unsigned flags;
    _Atomic int64_t nanoseconds; /* when last recorded outside of captures; 0: never */
    _Atomic bool captured;       /* point says where */
    struct capture_point point;
};

static void release(struct object *object) {
    capture_point_clear(&((CUevent)object)->point);
    free(object);
}

CUresult event_record(CUevent event) {
    if (!object_is(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&event->nanoseconds, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1);
    if (atomic_exchange(&event->captured, false))
        capture_point_clear(&event->point);
    return CUDA_SUCCESS;
}

CUresult event_wait(CUstream stream, CUevent event) {
    if (!object_is(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    return capture_wait(stream, &event->point, atomic_load(&event->nanoseconds) != 0);
}

/* What was recorded in a capture has not happened, and cannot be asked about. */
static CUresult enter(CUevent event) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!object_is(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    return atomic_load(&event->captured) ? capture_point_check(&event->point) : CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    unsigned all = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!phEvent || Flags & ~all)
        return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_EVENT_INTERPROCESS)
        return Flags & CU_EVENT_DISABLE_TIMING ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    CUevent event = calloc(1, sizeof *event);
    if (!event)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->flags = Flags;
    object_add(&event->object, OBJECT_EVENT, context, release);
    *phEvent = event;
    return CUDA_SUCCESS;
}

/* Possible after a fault, too. */
CUresult cuEventDestroy(CUevent hEvent) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!object_is(hEvent, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(&hEvent->object);
    return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(hStream, false, &context, &capturing);
    if (error)
        return error;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL || (flags && !capturing))
        return CUDA_ERROR_INVALID_VALUE;
    if (!capturing)
        return event_record(hEvent);
    if (!object_is(hEvent, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!flags) {
        atomic_store(&hEvent->captured, true);
        return capture_record(&hEvent->point, hStream);
    }
    struct graph_work work;
    return capture_work(graph_work_event(&work, CU_GRAPH_NODE_TYPE_EVENT_RECORD, hEvent), hStream, &work);
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
    return cuEventRecordWithFlags(hEvent, hStream, 0);
}

CUresult cuEventQuery(CUevent hEvent) {
    return enter(hEvent);
}

CUresult cuEventSynchronize(CUevent hEvent) {
    return enter(hEvent);
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    CUresult error = enter(hStart);
    if (!error)
        error = enter(hEnd);
    if (error)
        return error;
    if (!pMilliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    int64_t start = atomic_load(&hStart->nanoseconds), end = atomic_load(&hEnd->nanoseconds);
    if (!start || !end || (hStart->flags | hEnd->flags) & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_HANDLE;
    *pMilliseconds = (float)((double)(end - start) * 1e-6);
    return CUDA_SUCCESS;
}
