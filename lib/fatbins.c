/* The kernels' fatbins, embedded as they are.  WL_FATBIN_DIR comes from the build. */
#include "lib/kernels.h"

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

#define EMBED(module)                                                                                        \
    __asm__(".pushsection .rodata\n"                                                                         \
            ".balign 16\n"                                                                                   \
            ".globl wl__fatbin_" #module "\n"                                                                \
            ".hidden wl__fatbin_" #module "\n"                                                               \
            "wl__fatbin_" #module ":\n"                                                                      \
            ".incbin \"" STRING(WL_FATBIN_DIR) "/" #module ".fatbin\"\n"                                     \
                                               ".popsection\n");                                             \
    extern const unsigned char wl__fatbin_##module[] __attribute__((visibility("hidden")));
WL_MODULE_MAP(EMBED)

const void *wl__fatbin(enum wl__module module) {
    static const unsigned char *const fatbins[] = {
#define ADDRESS(module) [WL_MODULE_##module] = wl__fatbin_##module,
        WL_MODULE_MAP(ADDRESS)};
    return fatbins[module];
}
