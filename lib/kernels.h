/* The kernels that the library carries, as lib/movers.def lists them, and how one is loaded. */
#ifndef WIDELOAD_LIB_KERNELS_H
#define WIDELOAD_LIB_KERNELS_H

#include <stddef.h>

/* A kernel's number: WL_KERNEL_<name>.  From WL_KERNEL_COUNT on they are those of wl__further_kernels(). */
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

/* How many more modules and kernels a context has room for. */
#define WL_FURTHER_MODULES 48
#define WL_FURTHER_KERNELS 96

/* A module: a .cu file's fatbin, as it lies in the program, and its entry functions' names; NULL ends them.
 */
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

/* Modules of whoever stands above the library and launches kernels of its own by its functions: the ladder.
 * The same ones each time, before any of them is launched. */
void wl__further_kernels(const struct wl__modules *modules);

#endif
