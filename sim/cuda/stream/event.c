/* Events: times of the host's monotonic clock. */
#include "sim/cuda/stream/event.h"

#include <stdlib.h>
#include <time.h>

#include "sim/cuda/graph/capture.h"

struct CUevent_st {
    struct object object;
    unsigned flags;
    _Atomic int64_t nanoseconds; /* time of the last recording outside captures; 0: never */
    _Atomic bool captured;       /* recorded in a capture: see point */
    struct capture_point point;
    uint64_t exported; /* its byte of device memory; 0: not exported */
};

static void release(struct object *object) {
    CUevent event = (CUevent)object;
    capture_point_clear(&event->point);
    if (event->exported)
        sim_memory_free(driver.memory, event->exported);
    free(event);
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

/* A recording in a capture has not happened, so it cannot be queried. */
static CUresult enter(CUevent event) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!object_is(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    return atomic_load(&event->captured) ? capture_point_check(&event->point) : CUDA_SUCCESS;
}

CUresult event_create(CUcontext context, unsigned flags, CUevent *out) {
    CUevent event = calloc(1, sizeof *event);
    if (!event)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->flags = flags;
    object_add(&event->object, OBJECT_EVENT, context, release);
    *out = event;
    return CUDA_SUCCESS;
}

CUresult event_export(CUevent event, struct sim_share_name *name) {
    if (!object_is(event, OBJECT_EVENT) || !(event->flags & CU_EVENT_INTERPROCESS))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event->exported)
        event->exported = sim_memory_alloc(driver.memory, 1, SIM_MEMORY_DEVICE);
    return event->exported && sim_memory_export(driver.memory, event->exported, name)
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    unsigned all = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!phEvent || Flags & ~all)
        return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_EVENT_INTERPROCESS && !(Flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    return event_create(context, Flags, phEvent);
}

/* Works after a fault too. */
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
    /* An event is recorded in streams of its own context. */
    if (!object_is(hEvent, OBJECT_EVENT) || hEvent->object.context != stream_context(hStream, context))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!capturing)
        return event_record(hEvent);
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
    if (hStart->object.context != hEnd->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!start || !end || (hStart->flags | hEnd->flags) & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_HANDLE;
    *pMilliseconds = (float)((double)(end - start) * 1e-6);
    return CUDA_SUCCESS;
}
