/* wl_copy: bytes from any place to any other. */
#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/slots.h"

wl_error wl_copy(wl_context *context, wl_devptr to, wl_devptr from, size_t bytes, wl_stream stream) {
    static const char call[] = "wl_copy";
    const struct wl__array target = {"to", to, bytes}, source = {"from", from, bytes};
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_array(call, context, &target, 1);
    if (!error)
        error = wl__check_array(call, context, &source, 1);
    if (!error)
        error = wl__check_apart(call, &target, &source);
    if (error || bytes == 0)
        return error;
    bool alike = wl__slots_alike(to, &from, 1);
    const struct wl__choice choice = {
        .operation = call,
        .kernel = alike ? "aligned" : "shifted",
        .why = alike ? "both sides lie alike in 16 bytes: one 16-byte load and store a thread"
                     : "the sides lie otherwise in 16 bytes: aligned loads, the bytes shifted into place",
        .facts = {{"bytes", bytes}}};
    wl__chose(context, &choice);
    return wl__slots_launch(context, WL_KERNEL_copy_any, to, &from, 1, bytes, stream);
}
