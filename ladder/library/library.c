#include "ladder/library/library.h"

uint64_t wl__library_bytes(const struct wl_problem *problem) {
    return wl__multiply(2, wl__bytes_a_side(problem));
}

wl_error wl__memcpy_bytes(wl_context *context, wl_devptr to, wl_devptr from, uint64_t bytes,
                          wl_stream stream) {
    if (bytes == 0)
        return WL_ERROR_OK;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    const struct wl__driver *cuda = &context->driver;
    error = wl__driver_check(cuda, cuda->cuMemcpyDtoDAsync(to, from, bytes, stream), "cuMemcpyDtoDAsync");
    wl__leave(context);
    return error;
}

wl_error wl__memcpy_launch(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wl__memcpy_bytes(context, problem->out[0], problem->in[0], wl__bytes_a_side(problem), stream);
}
