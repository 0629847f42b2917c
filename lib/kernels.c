/* Kernels are loaded when they are first used: a module (a fatbin) and the functions in it. */
#include "lib/kernels.h"

#include <stdio.h>

#include "lib/context.h"
#include "lib/error.h"

/* With the lock held, and no capture forbidding it. */
static wl_error load(wl_context *context, enum wl__kernel kernel, CUfunction *out) {
    static const struct {
        enum wl__module module;
        const char *module_name, *name;
    } kernels[] = {
#define WL_KERNEL_ROW(module, kernel) [WL_KERNEL_##kernel] = {WL_MODULE_##module, #module, "wl_" #kernel},
        WL_KERNEL_MAP(WL_KERNEL_ROW)
#undef WL_KERNEL_ROW
    };
    const struct wl__driver *driver = &context->driver;
    CUmodule *module = &context->modules[kernels[kernel].module];
    char call[96];
    if (!*module) {
        CUmodule loaded = NULL;
        snprintf(call, sizeof(call), "loading the kernels of '%s'", kernels[kernel].module_name);
        wl_error error = wl__driver_check(
            driver, driver->cuModuleLoadData(&loaded, wl__fatbin(kernels[kernel].module)), call);
        if (error)
            return error;
        *module = loaded;
    }
    snprintf(call, sizeof(call), "finding the kernel %s", kernels[kernel].name);
    return wl__driver_check(driver, driver->cuModuleGetFunction(out, *module, kernels[kernel].name), call);
}

/* Loading is what a capture forbids its thread, and in the global mode every thread; but a module belongs to
 * no stream and to no graph, so this is a call for which the relaxed mode is meant. */
static wl_error load_relaxed(wl_context *context, enum wl__kernel kernel, CUfunction *out) {
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

wl_error wl__kernel_get(wl_context *context, enum wl__kernel kernel, CUfunction *out) {
    wl_error error = WL_ERROR_OK;
    /* Acquire: what the driver did for the thread that loaded the function is done for this one, too. */
    *out = atomic_load_explicit(&context->kernels[kernel], memory_order_acquire);
    if (*out)
        return error;
    pthread_mutex_lock(&context->lock);
    *out = atomic_load_explicit(&context->kernels[kernel], memory_order_relaxed);
    if (!*out) {
        error = load_relaxed(context, kernel, out);
        if (!error)
            atomic_store_explicit(&context->kernels[kernel], *out, memory_order_release);
    }
    pthread_mutex_unlock(&context->lock);
    return error;
}

void wl__unload_kernels(wl_context *context) {
    if (context->driver.cuCtxPushCurrent(context->cuda) != CUDA_SUCCESS)
        return;
    for (size_t i = 0; i < WL_MODULE_COUNT; i++)
        if (context->modules[i])
            context->driver.cuModuleUnload(context->modules[i]);
    wl__leave(context);
}
