#include "lib/host/isa/all.h"

#if defined(__x86_64__)
#define NAME "x86-64"
#elif defined(__aarch64__)
#define NAME "aarch64"
#else
#define NAME "any"
#endif

const struct wl__host_kernels wl__host_default = WL_TABLE(NAME);
