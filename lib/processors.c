#include "lib/processors.h"

#include "lib/context.h"

#if CUDA_VERSION >= 12050
static bool make_part(struct wl__parts *parts, enum wl__part part, wl_context *context,
                      CUdevResource *resource) {
    const struct wl__driver *driver = &context->driver;
    CUdevResourceDesc description;
    return !driver->cuDevResourceGenerateDesc(&description, resource, 1) &&
           !driver->cuGreenCtxCreate(&parts->of[part], description, context->device,
                                     CU_GREEN_CTX_DEFAULT_STREAM);
}

static void free_both(struct wl__parts *parts, wl_context *context) {
    for (unsigned part = 0; part < WL__PARTS; part++) {
        if (parts->of[part])
            (void)context->driver.cuGreenCtxDestroy(parts->of[part]);
        parts->of[part] = NULL;
    }
}

static void make_both(struct wl__parts *parts, wl_context *context) {
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
        free_both(parts, context);
}

static bool make_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                        const wl_context *context, int priority) {
    return !context->driver.cuGreenCtxStreamCreate(stream, parts->of[part], CU_STREAM_NON_BLOCKING, priority);
}
#else
static void free_both(struct wl__parts *parts, wl_context *context) {
    (void)parts;
    (void)context;
}

static void make_both(struct wl__parts *parts, wl_context *context) {
    (void)parts;
    (void)context;
}

static bool make_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                        const wl_context *context, int priority) {
    (void)stream, (void)parts, (void)part, (void)context, (void)priority;
    return false;
}
#endif

const struct wl__parts *wl__take_parts(wl_context *context) {
    struct wl__parts *parts = &context->parts;
    pthread_mutex_lock(&context->lock);
    if (!parts->of[WL__PART_PUSH])
        make_both(parts, context);
    const bool made = parts->of[WL__PART_PUSH] != NULL;
    parts->plans += made;
    pthread_mutex_unlock(&context->lock);
    return made ? parts : NULL;
}

void wl__give_parts(wl_context *context, const struct wl__parts *parts) {
    pthread_mutex_lock(&context->lock);
    context->parts.plans -= parts != NULL;
    pthread_mutex_unlock(&context->lock);
}

void wl__free_parts(wl_context *context) {
    if (!context->parts.plans)
        free_both(&context->parts, context);
}

wl_error wl__part_stream(CUstream *stream, const struct wl__parts *parts, enum wl__part part,
                         wl_context *context, int priority) {
    const struct wl__driver *driver = &context->driver;
    if (parts && make_stream(stream, parts, part, context, priority))
        return WL_ERROR_OK;
    return wl__driver_check(driver,
                            driver->cuStreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, priority),
                            "cuStreamCreateWithPriority");
}

void wl__free_part_stream(CUstream stream, const struct wl__parts *parts, wl_context *context) {
    if (parts)
        (void)context->driver.cuStreamSynchronize(stream);
    (void)context->driver.cuStreamDestroy(stream);
}
