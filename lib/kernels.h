/* The kernels in the library, as lib/movers.def lists them, and how one is loaded. */
#ifndef WIDELOAD_LIB_KERNELS_H
#define WIDELOAD_LIB_KERNELS_H

#include <stddef.h>

/* A kernel's number: WL_KERNEL_<name>.  Those of wl__further_kernels() begin at WL_KERNEL_COUNT. */
typedef unsigned wl__kernel;

enum {
#define MODULE(name, least, source, definitions, kernels) kernels
#define KERNEL(name)                                      WL_KERNEL_##name,
#include "lib/movers.def"
    WL_KERNEL_COUNT,
};

enum {
#define MODULE(name, least, source, definitions, kernels) WL_MODULE_##name,
#include "lib/movers.def"
    WL_MODULE_COUNT,
};

/* Modules and kernels that a context has room for in addition. */
#define WL_FURTHER_MODULES 48
#define WL_FURTHER_KERNELS 96

/* A module: a .cu file's fatbin, embedded in the program, and its entry functions' names; NULL ends them. */
struct wl__module {
    const char *name;
    const void *fatbin;
    const char *const *kernels;
};
struct wl__modules {
    const struct wl__module *modules;
    unsigned count;
};
extern const struct wl__modules wl__library_modules;

/* Adds modules of a user above the library that launches its own kernels by its functions: the ladder. Pass
 * the same ones each time, before any of them is launched. */
void wl__further_kernels(const struct wl__modules *modules);

#endif
