/* The number of a launch's blocks that fit on a multiprocessor at once, according to the driver. */
#include "ladder/ladder.h"
#include "lib/context.h"
#include "lib/error.h"
#include "lib/launch.h"

wl_error wl__last_occupancy(wl_context *context, struct wl_occupancy *out) {
    struct wl__launched last = wl__last_launch();
    *out = (struct wl_occupancy){0};
    if (last.context != context || !last.function)
        return WL_ERROR_OK;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    const struct wl__driver *driver = &context->driver;
    int blocks = 0, threads = 0, warp = 0;
    error = wl__driver_check(
        driver,
        driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, last.function, (int)last.threads, 0),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!error)
        error = wl__driver_check(
            driver,
            driver->cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                                         context->device),
            "cuDeviceGetAttribute");
    if (!error)
        error = wl__driver_check(
            driver, driver->cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, context->device),
            "cuDeviceGetAttribute");
    wl__leave(context);
    if (error || warp <= 0)
        return error;
    out->blocks = (unsigned)blocks;
    out->warps = out->blocks * ((last.threads + (unsigned)warp - 1) / (unsigned)warp);
    out->most_warps = (unsigned)(threads / warp);
    return WL_ERROR_OK;
}

void wl__forget_launch(void) {
    wl__note_launch((struct wl__launched){0});
}
