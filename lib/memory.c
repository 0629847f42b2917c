/* Device memory: allocations, and copies to and from the host. */
#include <string.h>

#include "lib/context.h"
#include "lib/error.h"
#include "lib/host/host.h"

wl_error wl_alloc(wl_context *context, wl_devptr *out, size_t bytes) {
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_alloc: out is NULL");
    *out = 0;
    if (context && wl__is_host(context))
        return wl__host_alloc(out, bytes);
    wl_error error = wl__enter(context);
    if (error)
        return error;
    CUdeviceptr address = 0;
    /* CUDA refuses allocations of 0 bytes; one byte gives an address of its own. */
    CUresult result = context->driver.cuMemAlloc(&address, bytes ? bytes : 1);
    error = result == CUDA_ERROR_OUT_OF_MEMORY
                ? wl__fail(WL_ERROR_OUT_OF_MEMORY, "the device has no room for %zu bytes", bytes)
                : wl__driver_check(&context->driver, result, "cuMemAlloc");
    if (!error)
        *out = address;
    wl__leave(context);
    return error;
}

wl_error wl_free(wl_context *context, wl_devptr address) {
    if (context && wl__is_host(context)) {
        wl__host_free(address);
        return WL_ERROR_OK;
    }
    wl_error error = wl__enter(context);
    if (error)
        return error;
    /* As with free(), a null address is a no-op. */
    if (address)
        error = wl__driver_check(&context->driver, context->driver.cuMemFree(address), "cuMemFree");
    wl__leave(context);
    return error;
}

wl_error wl_upload(wl_context *context, wl_devptr to, const void *from, size_t bytes) {
    if (bytes && (!to || !from))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_upload: a null address for %zu bytes", bytes);
    if (context && wl__is_host(context)) {
        if (bytes)
            memmove(wl__host_pointer(to), from, bytes);
        return WL_ERROR_OK;
    }
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (bytes)
        error =
            wl__driver_check(&context->driver, context->driver.cuMemcpyHtoD(to, from, bytes), "cuMemcpyHtoD");
    wl__leave(context);
    return error;
}

wl_error wl_download(wl_context *context, void *to, wl_devptr from, size_t bytes) {
    if (bytes && (!to || !from))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_download: a null address for %zu bytes", bytes);
    if (context && wl__is_host(context)) {
        if (bytes)
            memmove(to, wl__host_pointer(from), bytes);
        return WL_ERROR_OK;
    }
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (bytes)
        error =
            wl__driver_check(&context->driver, context->driver.cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
    wl__leave(context);
    return error;
}

wl_error wl_fill(wl_context *context, wl_devptr to, uint8_t value, size_t bytes, wl_stream stream) {
    if (bytes && !to)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "wl_fill: a null address for %zu bytes", bytes);
    if (context && wl__is_host(context)) {
        if (bytes)
            memset(wl__host_pointer(to), value, bytes);
        return WL_ERROR_OK;
    }
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (bytes)
        error = wl__driver_check(&context->driver, context->driver.cuMemsetD8Async(to, value, bytes, stream),
                                 "cuMemsetD8Async");
    wl__leave(context);
    return error;
}

wl_error wl_synchronize(wl_context *context) {
    if (context && wl__is_host(context))
        return WL_ERROR_OK;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    error = wl__driver_check(&context->driver, context->driver.cuCtxSynchronize(), "cuCtxSynchronize");
    wl__leave(context);
    return error;
}
