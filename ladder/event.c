/* Timing on the device. */
#include <stdlib.h>

#include "ladder/ladder.h"
#include "lib/context.h"
#include "lib/error.h"

struct wl_event {
    wl_context *context;
    CUevent cuda;
};

wl_error wl__event_create(wl_context *context, wl_event **out) {
    *out = NULL;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    wl_event *event = malloc(sizeof(*event));
    if (event) {
        event->context = context;
        error = wl__driver_check(
            &context->driver, context->driver.cuEventCreate(&event->cuda, CU_EVENT_DEFAULT), "cuEventCreate");
    } else {
        error = wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for an event");
    }
    wl__leave(context);
    if (error)
        free(event);
    else
        *out = event;
    return error;
}

void wl__event_destroy(wl_event *event) {
    if (!event)
        return;
    if (wl__enter(event->context) == WL_ERROR_OK) {
        event->context->driver.cuEventDestroy(event->cuda);
        wl__leave(event->context);
    }
    free(event);
}

wl_error wl__event_record(wl_event *event, wl_stream stream) {
    wl_error error = wl__enter(event->context);
    if (error)
        return error;
    const struct wl__driver *driver = &event->context->driver;
    error = wl__driver_check(driver, driver->cuEventRecord(event->cuda, stream), "cuEventRecord");
    wl__leave(event->context);
    return error;
}

wl_error wl__event_elapsed(wl_event *from, wl_event *to, float *milliseconds) {
    wl_error error = wl__enter(from->context);
    if (error)
        return error;
    const struct wl__driver *driver = &from->context->driver;
    error = wl__driver_check(driver, driver->cuEventSynchronize(from->cuda), "cuEventSynchronize");
    if (!error)
        error = wl__driver_check(driver, driver->cuEventSynchronize(to->cuda), "cuEventSynchronize");
    if (!error)
        error = wl__driver_check(driver, driver->cuEventElapsedTime(milliseconds, from->cuda, to->cuda),
                                 "cuEventElapsedTime");
    wl__leave(from->context);
    return error;
}

wl_error wl__cache_release(wl_context *context) {
    wl_error error = wl__enter(context);
    if (error)
        return error;
    const struct wl__driver *driver = &context->driver;
    error = wl__driver_check(driver, driver->cuCtxSynchronize(), "cuCtxSynchronize");
    if (!error) {
        /* Older GPUs, and MIG instances, have no persisting lines. */
        CUresult result = driver->cuCtxResetPersistingL2Cache();
        if (result != CUDA_ERROR_NOT_SUPPORTED)
            error = wl__driver_check(driver, result, "cuCtxResetPersistingL2Cache");
    }
    wl__leave(context);
    return error;
}
