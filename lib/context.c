#include "lib/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/ladder.h"

/* What a device's name asks for. */
struct wanted {
    enum { WANT_AUTO, WANT_GPU, WANT_SIMULATOR } kind;
    int ordinal;
};

static bool parse_name(const char *name, struct wanted *out) {
    *out = (struct wanted){WANT_AUTO, 0};
    if (strcmp(name, "auto") == 0)
        return true;
    if (strcmp(name, "sim") == 0) {
        out->kind = WANT_SIMULATOR;
        return true;
    }
    if (strncmp(name, "gpu", 3) != 0)
        return false;
    out->kind = WANT_GPU;
    if (name[3] == '\0')
        return true;
    /* Digits only: strtol would take blanks and signs. */
    const char *digits = name + 4;
    size_t length = strlen(digits);
    if (name[3] != ':' || length == 0 || length > 4 || strspn(digits, "0123456789") != length)
        return false;
    out->ordinal = atoi(digits);
    return true;
}

static wl_error choose(const char *device, struct wanted *out) {
    if (!device)
        device = "auto";
    if (!parse_name(device, out))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "unknown device '%.64s': it is auto, gpu, gpu:N or sim",
                        device);
    const char *environment = getenv("WIDELOAD_DEVICE");
    if (out->kind == WANT_AUTO && environment && *environment && !parse_name(environment, out))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "WIDELOAD_DEVICE names an unknown device '%.64s': it is auto, gpu, gpu:N or sim",
                        environment);
    return WL_ERROR_OK;
}

static wl_error open_gpu(struct wl__driver *driver, int ordinal) {
    wl_error error = wl__driver_open(driver, false);
    if (error)
        return error;
    int count = 0;
    error = wl__driver_check(driver, driver->cuDeviceGetCount(&count), "cuDeviceGetCount");
    if (!error && count == 0)
        error = wl__fail(WL_ERROR_NO_DEVICE,
                         "the CUDA driver finds no GPU on this machine; to run on the simulator, set "
                         "WIDELOAD_DEVICE=sim or give --device sim");
    else if (!error && ordinal >= count)
        error = wl__fail(WL_ERROR_NO_DEVICE, "there is no gpu:%d: this machine has %d, counted from 0",
                         ordinal, count);
    if (error)
        wl__driver_close(driver);
    return error;
}

static wl_error open_driver(struct wl__driver *driver, const struct wanted *wanted) {
    if (wanted->kind != WANT_SIMULATOR) {
        wl_error error = open_gpu(driver, wanted->ordinal);
        if (!error || wanted->kind == WANT_GPU)
            return error;
    }
    return wl__driver_open(driver, true);
}

static wl_error make_ready(wl_context *context, int ordinal) {
    const struct wl__driver *driver = &context->driver;
    wl_error error = wl__driver_check(driver, driver->cuDeviceGet(&context->device, ordinal), "cuDeviceGet");
    if (error)
        return error;
    int limit = 0;
    error = wl__driver_check(
        driver,
        driver->cuDeviceGetAttribute(&limit, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, context->device),
        "cuDeviceGetAttribute");
    if (error)
        return error;
    context->block_limit = limit;
    return wl__driver_check(driver, driver->cuDevicePrimaryCtxRetain(&context->cuda, context->device),
                            "cuDevicePrimaryCtxRetain");
}

wl_error wl_open(wl_context **out, const char *device) {
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_open: out is NULL");
    *out = NULL;
    struct wanted wanted;
    wl_error error = choose(device, &wanted);
    if (error)
        return error;
    wl_context *context = calloc(1, sizeof(*context));
    if (!context)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "wl_open: no memory for a context");
    const char *log = getenv("WIDELOAD_LOG");
    context->log = log && *log && strcmp(log, "0") != 0;
    error = open_driver(&context->driver, &wanted);
    if (error) {
        free(context);
        return error;
    }
    error = make_ready(context, context->driver.simulator ? 0 : wanted.ordinal);
    if (error) {
        wl__driver_close(&context->driver);
        free(context);
        return error;
    }
    int failed = pthread_mutex_init(&context->lock, NULL);
    if (failed) {
        context->driver.cuDevicePrimaryCtxRelease(context->device);
        wl__driver_close(&context->driver);
        free(context);
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "wl_open: no mutex: %s", strerror(failed));
    }
    *out = context;
    return WL_ERROR_OK;
}

void wl_close(wl_context *context) {
    if (!context)
        return;
    const struct wl__driver *driver = &context->driver;
    if (driver->cuCtxPushCurrent(context->cuda) == CUDA_SUCCESS) {
        for (size_t i = 0; i < WL_MODULE_COUNT; i++)
            if (context->modules[i])
                driver->cuModuleUnload(context->modules[i]);
        wl__leave(context);
    }
    driver->cuDevicePrimaryCtxRelease(context->device);
    wl__driver_close(&context->driver);
    pthread_mutex_destroy(&context->lock);
    free(context);
}

wl_error wl__enter(wl_context *context) {
    if (!context)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "the context is NULL");
    return wl__driver_check(&context->driver, context->driver.cuCtxPushCurrent(context->cuda),
                            "cuCtxPushCurrent");
}

void wl__leave(wl_context *context) {
    CUcontext popped;
    context->driver.cuCtxPopCurrent(&popped);
}

wl_error wl__kernel_get(wl_context *context, enum wl__kernel kernel, CUfunction *out) {
    static const struct {
        enum wl__module module;
        const char *module_name, *name;
    } kernels[] = {
#define WL_KERNEL_ROW(module, kernel) [WL_KERNEL_##kernel] = {WL_MODULE_##module, #module, "wl_" #kernel},
        WL_KERNEL_MAP(WL_KERNEL_ROW)
#undef WL_KERNEL_ROW
    };
    const struct wl__driver *driver = &context->driver;
    enum wl__module module = kernels[kernel].module;
    char call[96];
    wl_error error = WL_ERROR_OK;
    pthread_mutex_lock(&context->lock);
    if (!context->modules[module]) {
        snprintf(call, sizeof(call), "loading the kernels of '%s'", kernels[kernel].module_name);
        CUresult result = driver->cuModuleLoadData(&context->modules[module], wl__fatbin(module));
        if (result)
            context->modules[module] = NULL;
        error = wl__driver_check(driver, result, call);
    }
    if (!error && !context->kernels[kernel]) {
        snprintf(call, sizeof(call), "finding the kernel %s", kernels[kernel].name);
        CUresult result = driver->cuModuleGetFunction(&context->kernels[kernel], context->modules[module],
                                                      kernels[kernel].name);
        if (result)
            context->kernels[kernel] = NULL;
        error = wl__driver_check(driver, result, call);
    }
    *out = context->kernels[kernel];
    pthread_mutex_unlock(&context->lock);
    return error;
}

bool wl__is_simulator(const wl_context *context) {
    return context && context->driver.simulator;
}
