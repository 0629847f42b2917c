/* How many blocks of a launch a multiprocessor holds at once, as the driver says. */
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

/* With the context current. */
static wl_error count_blocks(wl_context *context, enum wl__kernel kernel, uint32_t threads,
                             uint32_t shared_bytes, uint64_t *blocks) {
    const struct wl__driver *driver = &context->driver;
    CUfunction function;
    int each = 0, multiprocessors = 0;
    wl_error error = wl__kernel_get(context, kernel, &function);
    if (!error)
        error = wl__driver_check(
            driver,
            driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, (int)threads, shared_bytes),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!error)
        error =
            wl__driver_check(driver,
                             driver->cuDeviceGetAttribute(
                                 &multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, context->device),
                             "cuDeviceGetAttribute");
    if (!error)
        *blocks = (uint64_t)each * (uint64_t)multiprocessors;
    return error;
}

wl_error wl__blocks_at_once(wl_context *context, enum wl__kernel kernel, uint32_t threads,
                            uint32_t shared_bytes, uint64_t *blocks) {
    wl_error error = wl__enter(context);
    if (error)
        return error;
    error = count_blocks(context, kernel, threads, shared_bytes, blocks);
    wl__leave(context);
    return error;
}

void wl__forget_launch(void) {
    wl__note_launch((struct wl__launched){0});
}
