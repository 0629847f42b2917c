/* Launches recorded once as a CUDA graph and replayed as one. */
#include <stdlib.h>

#include "ladder/ladder.h"
#include "lib/context.h"
#include "lib/error.h"

struct wl_replay {
    wl_context *context;
    CUstream stream;
    CUgraph graph;
    CUgraphExec executable;
};

static wl_error record(wl_replay *replay, wl_record_fn *record_launches, void *argument) {
    const struct wl__driver *driver = &replay->context->driver;
    wl_error error = wl__driver_check(driver, driver->cuStreamCreate(&replay->stream, CU_STREAM_NON_BLOCKING),
                                      "cuStreamCreate");
    if (!error)
        error = wl__driver_check(
            driver, driver->cuStreamBeginCapture(replay->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
            "cuStreamBeginCapture");
    if (error)
        return error;
    error = record_launches(argument, replay->stream);
    /* Always end the capture: otherwise its stream could not be used or destroyed. */
    wl_error ended = wl__driver_check(driver, driver->cuStreamEndCapture(replay->stream, &replay->graph),
                                      "cuStreamEndCapture");
    if (!error)
        error = ended;
    if (!error)
        error = wl__driver_check(driver,
                                 driver->cuGraphInstantiateWithFlags(&replay->executable, replay->graph, 0),
                                 "cuGraphInstantiateWithFlags");
    return error;
}

wl_error wl__replay_create(wl_context *context, wl_record_fn *record_launches, void *argument,
                           wl_replay **out) {
    *out = NULL;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    wl_replay *replay = calloc(1, sizeof(*replay));
    if (replay) {
        replay->context = context;
        error = record(replay, record_launches, argument);
    } else {
        error = wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    }
    wl__leave(context);
    if (error)
        wl__replay_destroy(replay);
    else
        *out = replay;
    return error;
}

wl_error wl__replay_launch(wl_replay *replay, wl_stream stream) {
    wl_error error = wl__enter(replay->context);
    if (error)
        return error;
    const struct wl__driver *driver = &replay->context->driver;
    error = wl__driver_check(driver, driver->cuGraphLaunch(replay->executable, stream), "cuGraphLaunch");
    wl__leave(replay->context);
    return error;
}

void wl__replay_destroy(wl_replay *replay) {
    if (!replay)
        return;
    if (wl__enter(replay->context) == WL_ERROR_OK) {
        const struct wl__driver *driver = &replay->context->driver;
        if (replay->executable)
            driver->cuGraphExecDestroy(replay->executable);
        if (replay->graph)
            driver->cuGraphDestroy(replay->graph);
        if (replay->stream)
            driver->cuStreamDestroy(replay->stream);
        wl__leave(replay->context);
    }
    free(replay);
}
