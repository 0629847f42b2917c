/* The ladder's own kernels, as ladder/kernels.def lists them; their numbers follow on the library's. */
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

/* Makes them known to the library.  wl__ladder() has called it before there is a rung to launch. */
void wl__ladder_kernels(void);

#endif
