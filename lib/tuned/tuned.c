#include "lib/tuned/tuned.h"

/* By the least compute capability; ascending. */
static const struct {
    unsigned capability;
    const struct wl__tuned *tuned;
} all[] = {
    {90, &wl__tuned_hopper},
};

const struct wl__tuned *wl__tuned_for(unsigned capability) {
    for (unsigned i = sizeof(all) / sizeof(all[0]); i-- > 0;)
        if (all[i].capability <= capability)
            return all[i].tuned;
    return wl__tuned_generic();
}
