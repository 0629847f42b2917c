/* The simulator's counters and rules; a GPU has none that a program may read without privileges. */
#include <string.h>

#include "lib/context.h"
#include "lib/error.h"

/* Enters the context if it is the simulator's. */
static wl_error enter_simulator(wl_context *context, const char *function) {
    if (!context)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: the context is NULL", function);
    if (!context->driver.simulator)
        return wl__fail(WL_ERROR_UNSUPPORTED, "%s: only the simulator counts; this device is %s", function,
                        context->host ? "the host" : "a GPU");
    return wl__enter(context);
}

wl_error wl_get_counters(wl_context *context, wl_counters *out) {
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_get_counters: out is NULL");
    memset(out, 0, sizeof(*out));
    wl_error error = enter_simulator(context, "wl_get_counters");
    if (error)
        return error;
    error = wl__driver_check(&context->driver, (CUresult)context->driver.wlSimGetCounters(out),
                             "wlSimGetCounters");
    wl__leave(context);
    return error;
}

wl_error wl_reset_counters(wl_context *context) {
    wl_error error = enter_simulator(context, "wl_reset_counters");
    if (error)
        return error;
    error = wl__driver_check(&context->driver, (CUresult)context->driver.wlSimResetCounters(),
                             "wlSimResetCounters");
    wl__leave(context);
    return error;
}

wl_error wl_set_arch(wl_context *context, const char *arch) {
    if (!arch)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_set_arch: arch is NULL");
    wl_error error = enter_simulator(context, "wl_set_arch");
    if (error)
        return error;
    CUresult result = (CUresult)context->driver.wlSimSetArch(arch);
    error = result == CUDA_ERROR_INVALID_VALUE
                ? wl__fail(WL_ERROR_INVALID_ARGUMENT, "unknown architecture '%.64s'", arch)
                : wl__driver_check(&context->driver, result, "wlSimSetArch");
    if (!error)
        error = wl__read_device(context);
    wl__leave(context);
    return error;
}

wl_error wl_arch_at(wl_context *context, unsigned i, const char **name, int *proved) {
    wl_error error = enter_simulator(context, "wl_arch_at");
    if (error)
        return error;
    const char *found = context->driver.wlSimArchAt(i, proved);
    if (!found)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_arch_at: there are no rules number %u", i);
    else if (name)
        *name = found;
    wl__leave(context);
    return error;
}
