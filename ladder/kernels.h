/* The ladder's own kernels, listed in ladder/kernels.def; their numbers continue after the library's. */
#ifndef WIDELOAD_LADDER_KERNELS_H
#define WIDELOAD_LADDER_KERNELS_H

#include "lib/kernels.h"

enum {
    WL_KERNEL_BEFORE_LADDER = WL_KERNEL_COUNT - 1,
#define MODULE(name, least, source, definitions, kernels) kernels
#define KERNEL(name)                                      WL_KERNEL_##name,
#include "ladder/kernels.def"
    WL_KERNEL_LADDER_END,
};

/* Registers them with the library.  wl__ladder() calls it, so it precedes every launch of a rung. */
void wl__ladder_kernels(void);

#endif
