/* A table of kernels made into data: the fatbins, embedded as they are, and the list of modules.
 * WL_FATBIN_DIR comes from the build.
 *
 *     #define MODULE(name, least, source, definitions, kernels) WL_EMBED(name)
 *     #include "lib/movers.def"
 *     static const struct wl__module modules[] = {
 *     #define MODULE(name, least, source, definitions, kernels) WL_EMBEDDED(name, kernels)
 *     #define KERNEL(name) WL_EMBEDDED_KERNEL(name)
 *     #include "lib/movers.def"
 *     }; */
#ifndef WIDELOAD_LIB_EMBED_H
#define WIDELOAD_LIB_EMBED_H

#include "lib/kernels.h"

#define WL_STRING_(text) #text
#define WL_STRING(text)  WL_STRING_(text)

#define WL_EMBED(module)                                                                                     \
    __asm__(".pushsection .rodata\n"                                                                         \
            ".balign 16\n"                                                                                   \
            ".globl wl__fatbin_" #module "\n"                                                                \
            ".hidden wl__fatbin_" #module "\n"                                                               \
            "wl__fatbin_" #module ":\n"                                                                      \
            ".incbin \"" WL_STRING(WL_FATBIN_DIR) "/" #module ".fatbin\"\n"                                  \
                                                  ".popsection\n");                                          \
    extern const unsigned char wl__fatbin_##module[] __attribute__((visibility("hidden")));

#define WL_EMBEDDED(module, ...)   {#module, wl__fatbin_##module, (const char *const[]){__VA_ARGS__ NULL}},
#define WL_EMBEDDED_KERNEL(kernel) "wl_" #kernel,

#endif
