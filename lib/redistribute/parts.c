#include "lib/redistribute/parts.h"

#if CUDA_VERSION >= 12050
static bool make_part(struct wl__parts *parts, enum wl__part part, wl_context *context,
                      CUdevResource *resource) {
    const struct wl__driver *driver = &context->driver;
    CUdevResourceDesc description;
    return !driver->cuDevResourceGenerateDesc(&description, resource, 1) &&
           !driver->cuGreenCtxCreate(&parts->of[part], description, context->device,
                                     CU_GREEN_CTX_DEFAULT_STREAM);
}

void wl__make_parts(struct wl__parts *parts, wl_context *context) {
    const struct wl__driver *driver = &context->driver;
    CUdevResource all, push, rest;
    unsigned count = 1;
    if (!driver->cuDeviceGetDevResource || !driver->cuDevSmResourceSplitByCount ||
        !driver->cuDevResourceGenerateDesc || !driver->cuGreenCtxCreate || !driver->cuGreenCtxDestroy ||
        !driver->cuGreenCtxStreamCreate ||
        driver->cuDeviceGetDevResource(context->device, &all, CU_DEV_RESOURCE_TYPE_SM) ||
        all.sm.smCount < 2 * WL__PUSH_PROCESSORS ||
        driver->cuDevSmResourceSplitByCount(&push, &count, &all, &rest, 0, WL__PUSH_PROCESSORS) || count != 1)
        return;
    if (!make_part(parts, WL__PART_PUSH, context, &push) || !make_part(parts, WL__PART_REST, context, &rest))
        wl__free_parts(parts, context);
}

void wl__free_parts(struct wl__parts *parts, wl_context *context) {
    for (unsigned part = 0; part < WL__PARTS; part++) {
        if (parts->of[part])
            (void)context->driver.cuGreenCtxDestroy(parts->of[part]);
        parts->of[part] = NULL;
    }
}

wl_error wl__part_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                         wl_context *context, int priority) {
    const struct wl__driver *driver = &context->driver;
    if (parts->of[part] &&
        !driver->cuGreenCtxStreamCreate(stream, parts->of[part], CU_STREAM_NON_BLOCKING, priority))
        return WL_ERROR_OK;
    return wl__driver_check(driver,
                            driver->cuStreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, priority),
                            "cuStreamCreateWithPriority");
}
#else
void wl__make_parts(struct wl__parts *parts, wl_context *context) {
    (void)parts;
    (void)context;
}

void wl__free_parts(struct wl__parts *parts, wl_context *context) {
    (void)parts;
    (void)context;
}

wl_error wl__part_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                         wl_context *context, int priority) {
    const struct wl__driver *driver = &context->driver;
    (void)parts;
    (void)part;
    return wl__driver_check(driver,
                            driver->cuStreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, priority),
                            "cuStreamCreateWithPriority");
}
#endif

void wl__free_part_stream(CUstream stream, const struct wl__parts *parts, wl_context *context) {
    if (parts->of[WL__PART_PUSH])
        (void)context->driver.cuStreamSynchronize(stream);
    (void)context->driver.cuStreamDestroy(stream);
}
