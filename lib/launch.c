#include "lib/launch.h"

#include "lib/error.h"

/* What a kernel may have of shared memory unasked. */
#define UNASKED_SHARED_LIMIT (48 * 1024)

static _Thread_local struct wl__launched last;

struct wl__launched wl__last_launch(void) {
    return last;
}

void wl__note_launch(struct wl__launched launched) {
    last = launched;
}

/* Always as much as there is: were it as much as a launch needs, another thread's smaller launch could come
 * between. */
static wl_error allow_all_shared(wl_context *context, CUfunction function) {
    const struct wl__driver *driver = &context->driver;
    int limit = 0;
    wl_error error =
        wl__driver_check(driver,
                         driver->cuDeviceGetAttribute(
                             &limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, context->device),
                         "cuDeviceGetAttribute");
    if (error)
        return error;
    return wl__driver_check(
        driver, driver->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, limit),
        "cuFuncSetAttribute");
}

/* With the context current. */
static wl_error launch(wl_context *context, enum wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                       struct wl__block block, uint32_t shared_bytes, void **arguments, wl_stream stream) {
    CUfunction function;
    wl_error error = wl__kernel_get(context, kernel, &function);
    if (error)
        return error;
    if (shared_bytes > UNASKED_SHARED_LIMIT && !atomic_load(&context->all_shared[kernel])) {
        error = allow_all_shared(context, function);
        if (error)
            return error;
        atomic_store(&context->all_shared[kernel], true);
    }
    CUresult result = context->driver.cuLaunchKernel(function, grid_x, grid_y, 1, block.x, block.y, 1,
                                                     shared_bytes, stream, arguments, NULL);
    if (result)
        return wl__driver_check(&context->driver, result, "cuLaunchKernel");
    wl__note_launch((struct wl__launched){context, function, block.x * block.y});
    return WL_ERROR_OK;
}

wl_error wl__launch_shared(wl_context *context, enum wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                           struct wl__block block, uint32_t shared_bytes, void **arguments,
                           wl_stream stream) {
    /* A thread that works on a device has its context current already: to ask is cheaper than to push and
     * pop. */
    CUcontext current = NULL;
    if (context->driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context->cuda)
        return launch(context, kernel, grid_x, grid_y, block, shared_bytes, arguments, stream);
    wl_error error = wl__enter(context);
    if (error)
        return error;
    error = launch(context, kernel, grid_x, grid_y, block, shared_bytes, arguments, stream);
    wl__leave(context);
    return error;
}

wl_error wl__launch(wl_context *context, enum wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                    struct wl__block block, void **arguments, wl_stream stream) {
    return wl__launch_shared(context, kernel, grid_x, grid_y, block, 0, arguments, stream);
}

wl_error wl__launch_linear(wl_context *context, enum wl__kernel kernel, uint64_t items, uint64_t each,
                           struct wl__block block, void **arguments, uint64_t *first, wl_stream stream) {
    uint64_t blocks = items / each + (items % each != 0);
    for (uint64_t done = 0; done < blocks;) {
        uint64_t now = blocks - done < WL_GRID_X_LIMIT ? blocks - done : WL_GRID_X_LIMIT;
        *first = done * each;
        wl_error error = wl__launch(context, kernel, (uint32_t)now, 1, block, arguments, stream);
        if (error)
            return error;
        done += now;
    }
    return WL_ERROR_OK;
}
