/* The library's modules. */
#include "lib/embed.h"

#define MODULE(name, least, source, definitions, kernels) WL_EMBED(name)
#include "lib/movers.def"

static const struct wl__module modules[] = {
#define MODULE(name, least, source, definitions, kernels) WL_EMBEDDED(name, kernels)
#define KERNEL(name)                                      WL_EMBEDDED_KERNEL(name)
#include "lib/movers.def"
};

const struct wl__modules wl__library_modules = {modules, WL_MODULE_COUNT};
