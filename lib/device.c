/* The properties of a device. */
#include <stdio.h>
#include <string.h>

#include "lib/context.h"
#include "lib/device.h"
#include "lib/error.h"
#include "lib/host/host.h"

/* An attribute, 0 when the driver does not know it. */
static int attribute(const wl_context *context, CUdevice_attribute which) {
    int value = 0;
    if (context->driver.cuDeviceGetAttribute(&value, which, context->device) != CUDA_SUCCESS)
        return 0;
    return value;
}

static wl_error ask(wl_context *context, wl_device_info *out) {
    const struct wl__driver *driver = &context->driver;
    wl_error error = wl__driver_check(
        driver, driver->cuDeviceGetName(out->name, sizeof(out->name), context->device), "cuDeviceGetName");
    if (error)
        return error;
    size_t total = 0, all = 0, available = 0;
    error = wl__driver_check(driver, driver->cuDeviceTotalMem(&total, context->device), "cuDeviceTotalMem");
    if (error)
        return error;
    error = wl__driver_check(driver, driver->cuMemGetInfo(&available, &all), "cuMemGetInfo");
    if (error)
        return error;
    error = wl__driver_check(driver, driver->cuDriverGetVersion(&out->driver_version), "cuDriverGetVersion");
    if (error)
        return error;
    out->memory_bytes = total;
    out->free_bytes = available;
    out->multiprocessors = attribute(context, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    /* The simulator reports an H200's, for programs that divide by them; it has no memory of that speed. */
    if (!driver->simulator) {
        out->memory_clock_khz = attribute(context, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
        out->memory_bus_bits = attribute(context, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    }
    out->l2_bytes = attribute(context, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    /* Two transfers per clock: all memory of the last decades is double data rate. */
    out->peak_gbps = 2.0 * out->memory_clock_khz * 1e3 * out->memory_bus_bits / 8 * 1e-9;
    snprintf(out->kind, sizeof(out->kind), "%s", driver->simulator ? "sim" : "gpu");
    out->arch_proved = !driver->simulator;
    if (driver->simulator) {
        const char *name;
        snprintf(out->arch, sizeof(out->arch), "%s", driver->wlSimArch());
        int proved = 0;
        for (unsigned i = 0; (name = driver->wlSimArchAt(i, &proved)) != NULL; i++)
            if (strcmp(name, out->arch) == 0)
                out->arch_proved = proved;
    } else
        snprintf(out->arch, sizeof(out->arch), "sm_%d%d",
                 attribute(context, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                 attribute(context, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    return WL_ERROR_OK;
}

wl_error wl__device_uuid(wl_context *context, unsigned char uuid[16]) {
    wl_error error = wl__enter(context);
    if (error)
        return error;
    CUuuid bytes;
    error = wl__driver_check(&context->driver, context->driver.cuDeviceGetUuid(&bytes, context->device),
                             "cuDeviceGetUuid");
    if (!error)
        memcpy(uuid, bytes.bytes, sizeof(bytes.bytes));
    wl__leave(context);
    return error;
}

wl_error wl_get_device_info(wl_context *context, wl_device_info *out) {
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_get_device_info: out is NULL");
    memset(out, 0, sizeof(*out));
    if (context && wl__is_host(context)) {
        wl__host_info(out);
        return WL_ERROR_OK;
    }
    wl_error error = wl__enter(context);
    if (error)
        return error;
    error = ask(context, out);
    wl__leave(context);
    return error;
}
