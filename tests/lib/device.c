#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "without_small.h"

wl_context *context;

int open_device(void **state) {
    (void)state;
    const char *device = getenv("WIDELOAD_DEVICE");
    if (wl_open(&context, device && *device ? device : "sim")) {
        print_error("%s\n", wl_message());
        return -1;
    }
    return 0;
}

int open_without_small(void **state) {
    const int failed = open_device(state);
    if (!failed)
        leave_out_small(context);
    return failed;
}

int open_host(void **state) {
    (void)state;
    return wl_open(&context, "host") ? -1 : 0;
}

int close_device(void **state) {
    (void)state;
    wl_close(context);
    return 0;
}

/* True but for one of so many calls, in no order. */
static bool is_left_out(unsigned of) {
    static unsigned cases;
    return (++cases * 2654435761u >> 16) % of != 0;
}

bool left_to_release(void) {
#ifdef __SANITIZE_ADDRESS__
    return is_left_out(6);
#else
    return false;
#endif
}

bool left_to_newer(void) {
    const char *arch = getenv("WIDELOAD_ARCH");
    return arch && strcmp(arch, "sm_90") != 0 && is_left_out(3);
}
