#include "ladder/kernels.h"

#include "lib/embed.h"

#define MODULE(name, least, source, definitions, kernels) WL_EMBED(name)
#include "ladder/kernels.def"

static const struct wl__module modules[] = {
#define MODULE(name, least, source, definitions, kernels) WL_EMBEDDED(name, kernels)
#define KERNEL(name)                                      WL_EMBEDDED_KERNEL(name)
#include "ladder/kernels.def"
};

#define MODULES (sizeof(modules) / sizeof(modules[0]))
_Static_assert(MODULES <= WL_FURTHER_MODULES, "contexts have no room for the ladder's modules");
_Static_assert(WL_KERNEL_LADDER_END - WL_KERNEL_COUNT <= WL_FURTHER_KERNELS,
               "contexts have no room for the ladder's kernels");

void wl__ladder_kernels(void) {
    static const struct wl__modules ladder = {modules, MODULES};
    wl__further_kernels(&ladder);
}
