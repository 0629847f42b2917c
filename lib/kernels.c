/* Loads kernels when they are first used: a module (a fatbin) and the functions in it. */
#include "lib/kernels.h"

#include <stdio.h>

#include "lib/context.h"
#include "lib/error.h"

static const struct wl__modules *further;

void wl__further_kernels(const struct wl__modules *modules) {
    further = modules;
}

/* A kernel's place in the tables: its module's number in a context, and the module. */
struct place {
    unsigned number;
    const struct wl__module *module;
    const char *name;
};

static struct place find(wl__kernel kernel) {
    const bool own = kernel < WL_KERNEL_COUNT;
    const struct wl__module *module = own ? wl__library_modules.modules : further->modules;
    unsigned number = own ? 0 : WL_MODULE_COUNT, left = own ? kernel : kernel - WL_KERNEL_COUNT;
    for (;; module++, number++)
        for (const char *const *name = module->kernels; *name; name++)
            if (left-- == 0)
                return (struct place){number, module, *name};
}

/* Whether the code that was loaded is for compute capability 9.0 or later: then it has the instruction that
 * waits.  A driver may have compiled older PTX instead, which has not. */
static bool awaits_earlier(const struct wl__driver *driver, CUfunction function) {
    int version = 0;
    return driver->cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function) == CUDA_SUCCESS &&
           version >= 90;
}

/* The caller holds the lock, and no capture forbids it. */
static wl_error load(wl_context *context, wl__kernel kernel, CUfunction *out) {
    const struct wl__driver *driver = &context->driver;
    const struct place place = find(kernel);
    CUmodule *module = &context->modules[place.number];
    char call[96];
    if (!*module) {
        CUmodule loaded = NULL;
        snprintf(call, sizeof(call), "loading the kernels of '%s'", place.module->name);
        wl_error error =
            wl__driver_check(driver, driver->cuModuleLoadData(&loaded, place.module->fatbin), call);
        if (error)
            return error;
        *module = loaded;
    }
    snprintf(call, sizeof(call), "finding the kernel %s", place.name);
    return wl__driver_check(driver, driver->cuModuleGetFunction(out, *module, place.name), call);
}

/* A capture forbids loading to its thread, and in the global mode to every thread.  But a module belongs to
 * no stream and no graph, so the relaxed mode is meant for calls like this. */
static wl_error load_relaxed(wl_context *context, wl__kernel kernel, CUfunction *out) {
    const struct wl__driver *driver = &context->driver;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    wl_error error = wl__driver_check(driver, driver->cuThreadExchangeStreamCaptureMode(&mode),
                                      "cuThreadExchangeStreamCaptureMode");
    if (error)
        return error;
    error = load(context, kernel, out);
    driver->cuThreadExchangeStreamCaptureMode(&mode);
    return error;
}

wl_error wl__kernel_get(wl_context *context, wl__kernel kernel, CUfunction *out) {
    wl_error error = WL_ERROR_OK;
    /* Acquire: what the driver did for the thread that loaded the function is visible to this one, too. */
    *out = atomic_load_explicit(&context->kernels[kernel], memory_order_acquire);
    if (*out)
        return error;
    pthread_mutex_lock(&context->lock);
    *out = atomic_load_explicit(&context->kernels[kernel], memory_order_relaxed);
    if (!*out) {
        error = load_relaxed(context, kernel, out);
        if (!error && kernel < WL_KERNEL_COUNT)
            atomic_store_explicit(&context->awaits[kernel], awaits_earlier(&context->driver, *out),
                                  memory_order_relaxed);
        if (!error)
            atomic_store_explicit(&context->kernels[kernel], *out, memory_order_release);
    }
    pthread_mutex_unlock(&context->lock);
    return error;
}

void wl__unload_kernels(wl_context *context) {
    if (context->driver.cuCtxPushCurrent(context->cuda) != CUDA_SUCCESS)
        return;
    for (size_t i = 0; i < WL_MODULE_COUNT + WL_FURTHER_MODULES; i++)
        if (context->modules[i])
            context->driver.cuModuleUnload(context->modules[i]);
    wl__leave(context);
}
