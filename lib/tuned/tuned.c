#include "lib/tuned/tuned.h"

extern const struct wl__tuned wl__tuned_generic, wl__tuned_hopper;

/* By the least compute capability; ascending. */
static const struct {
    unsigned capability;
    const struct wl__tuned *tuned;
} all[] = {
    {0, &wl__tuned_generic},
    {90, &wl__tuned_hopper},
};

const struct wl__tuned *wl__tuned_for(unsigned capability) {
    unsigned i = sizeof(all) / sizeof(all[0]) - 1;
    while (all[i].capability > capability)
        i--;
    return all[i].tuned;
}
