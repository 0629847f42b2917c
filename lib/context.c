#include "lib/context.h"

#include <stdlib.h>
#include <string.h>

#include "lib/device.h"
#include "lib/error.h"
#include "lib/host/host.h"

/* The device that a name asks for. */
struct wanted {
    enum { WANT_AUTO, WANT_GPU, WANT_SIMULATOR, WANT_HOST, WANT_CURRENT } kind;
    int ordinal;
};

static bool parse_name(const char *name, struct wanted *out) {
    *out = (struct wanted){WANT_AUTO, 0};
    if (strcmp(name, "auto") == 0)
        return true;
    if (strcmp(name, "host") == 0) {
        out->kind = WANT_HOST;
        return true;
    }
    if (strcmp(name, "current") == 0) {
        out->kind = WANT_CURRENT;
        return true;
    }
    const bool gpu = strncmp(name, "gpu", 3) == 0;
    if (!gpu && strncmp(name, "sim", 3) != 0)
        return false;
    out->kind = gpu ? WANT_GPU : WANT_SIMULATOR;
    if (name[3] == '\0')
        return true;
    /* Digits only: strtol would accept blanks and signs. */
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
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "unknown device '%.64s': give auto, gpu, gpu:N, sim, sim:N, host or current", device);
    const char *environment = getenv("WIDELOAD_DEVICE");
    if (out->kind == WANT_AUTO && environment && *environment && !parse_name(environment, out))
        return wl__fail(
            WL_ERROR_INVALID_ARGUMENT,
            "WIDELOAD_DEVICE names an unknown device '%.64s': give auto, gpu, gpu:N, sim, sim:N, host or "
            "current",
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

static wl_error open_simulator(struct wl__driver *driver, int ordinal) {
    wl_error error = wl__driver_open(driver, true);
    if (error || !ordinal)
        return error;
    int count = 0;
    error = wl__driver_check(driver, driver->cuDeviceGetCount(&count), "cuDeviceGetCount");
    if (!error && ordinal >= count)
        error = wl__fail(WL_ERROR_NO_DEVICE,
                         "there is no sim:%d: the simulator has %d device%s, counted from 0; "
                         "WIDELOAD_SIM_DEVICES in the environment says how many",
                         ordinal, count, count == 1 ? "" : "s");
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
    return open_simulator(driver, wanted->kind == WANT_SIMULATOR ? wanted->ordinal : 0);
}

static wl_error retain_primary(wl_context *context, int ordinal) {
    const struct wl__driver *driver = &context->driver;
    wl_error error = wl__driver_check(driver, driver->cuDeviceGet(&context->device, ordinal), "cuDeviceGet");
    if (!error)
        error = wl__driver_check(driver, driver->cuDevicePrimaryCtxRetain(&context->cuda, context->device),
                                 "cuDevicePrimaryCtxRetain");
    context->retained = !error;
    return error;
}

/* Opens the driver, its context and the device. */
static wl_error open_context(wl_context *context, const struct wanted *wanted) {
    struct wl__driver *driver = &context->driver;
    if (wanted->kind == WANT_CURRENT) {
        wl_error error = wl__driver_open_current(driver, &context->cuda);
        return error ? error
                     : wl__driver_check(driver, driver->cuCtxGetDevice(&context->device), "cuCtxGetDevice");
    }
    wl_error error = open_driver(driver, wanted);
    return error ? error : retain_primary(context, wanted->ordinal);
}

static wl_error get_attribute(const wl_context *context, CUdevice_attribute attribute, int *out) {
    const struct wl__driver *driver = &context->driver;
    return wl__driver_check(driver, driver->cuDeviceGetAttribute(out, attribute, context->device),
                            "cuDeviceGetAttribute");
}

bool wl__starts_early(const wl_context *context) {
    int version = 0;
    return context->capability >= 90 && context->driver.cuLaunchKernelEx &&
           context->driver.cuDriverGetVersion(&version) == CUDA_SUCCESS && version >= 12040;
}

wl_error wl__read_device(wl_context *context) {
    int limit = 0, shared = 0, major = 0, minor = 0, multiprocessors = 0;
    wl_error error = get_attribute(context, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &limit);
    if (!error)
        error = get_attribute(context, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &shared);
    if (!error)
        error = get_attribute(context, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors);
    if (!error)
        error = get_attribute(context, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
    if (!error)
        error = get_attribute(context, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor);
    context->block_limit = (unsigned)limit;
    context->shared_each = (unsigned)shared;
    context->multiprocessors = (unsigned)multiprocessors;
    context->capability = (unsigned)(10 * major + minor);
    context->tuned = wl__tuned_for(context->capability);
    context->starts_early = wl__starts_early(context);
    return error;
}

static wl_error make_ready(wl_context *context, const struct wanted *wanted) {
    const char *log = getenv("WIDELOAD_LOG");
    context->log = log && *log && strcmp(log, "0") != 0;
    if (wanted->kind == WANT_HOST)
        return wl__host_open(context);
    const wl_error error = open_context(context, wanted);
    return error ? error : wl__read_device(context);
}

/* Releases everything but the lock. */
static void give_back(wl_context *context) {
    if (context->retained)
        context->driver.cuDevicePrimaryCtxRelease(context->device);
    wl__driver_close(&context->driver);
    free(context);
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
    error = make_ready(context, &wanted);
    int failed = error ? 0 : pthread_mutex_init(&context->lock, NULL);
    if (failed)
        error = wl__fail(WL_ERROR_OUT_OF_MEMORY, "wl_open: no mutex: %s", strerror(failed));
    if (error)
        give_back(context);
    else
        *out = context;
    return error;
}

void wl_close(wl_context *context) {
    if (!context)
        return;
    if (!context->host) {
        wl__free_parts(context);
        wl__unload_kernels(context);
    }
    pthread_mutex_destroy(&context->lock);
    give_back(context);
}

wl_error wl__enter(wl_context *context) {
    if (!context)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "the context is NULL");
    if (context->host)
        return wl__fail(WL_ERROR_UNSUPPORTED, "the host device has no CUDA context and runs no kernels");
    return wl__driver_check(&context->driver, context->driver.cuCtxPushCurrent(context->cuda),
                            "cuCtxPushCurrent");
}

void wl__leave(wl_context *context) {
    CUcontext popped;
    context->driver.cuCtxPopCurrent(&popped);
}

bool wl__is_simulator(const wl_context *context) {
    return context && context->driver.simulator;
}

wl_error wl__enable_peer(const wl_context *on, const wl_context *peer) {
    const struct wl__driver *driver = &on->driver;
    const CUdevice here = on->device, there = peer->device;
    if (on->cuda == peer->cuda)
        return WL_ERROR_OK;
    int can = 1;
    if (here != there) {
        wl_error error = wl__driver_check(driver, driver->cuDeviceCanAccessPeer(&can, here, there),
                                          "cuDeviceCanAccessPeer");
        if (error)
            return error;
    }
    const CUresult result =
        can ? driver->cuCtxEnablePeerAccess(peer->cuda, 0) : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        return WL_ERROR_OK;
    if (result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
        return wl__fail(WL_ERROR_UNSUPPORTED, "device %d has no peer access to device %d", (int)here,
                        (int)there);
    return wl__driver_check(driver, result, "cuCtxEnablePeerAccess");
}
