/* A device made ready, inside the library. */
#ifndef WIDELOAD_LIB_CONTEXT_H
#define WIDELOAD_LIB_CONTEXT_H

#include <pthread.h>

#include "lib/driver.h"
#include "lib/kernels.h"
#include "lib/ladder.h"

struct wl_context {
    struct wl__driver driver;
    CUdevice device;
    CUcontext cuda;       /* the device's primary context, retained */
    unsigned block_limit; /* threads a block */
    bool log;             /* each operation says on stderr what it chose */
    pthread_mutex_t lock; /* over the two tables, which fill as kernels are first used */
    CUmodule modules[WL_MODULE_COUNT];
    CUfunction kernels[WL_KERNEL_COUNT];
};

/* The kernel's handle, its module loaded if it was not.  Between wl__enter and wl__leave. */
wl_error wl__kernel_get(wl_context *context, enum wl__kernel kernel, CUfunction *out);

#endif
