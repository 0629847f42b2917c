/* The floor: every device that has no file of its own, from compute capability 7.5 on.
 *
 * Nothing was measured on these.  The values are those of an H200, except where its measurements concern
 * asynchronous loads and clusters: there the movers for any device are taken. */
#include <pthread.h>

#include "lib/tuned/tuned.h"

static struct wl__tuned generic;

static void make(void) {
    generic = wl__tuned_hopper;
    generic.name = "generic";
    generic.transpose.in_flight = 0;
    generic.transpose.async_words = 0;
    generic.transpose.low.most = 0;
    generic.transpose.slots[0].tiles = generic.transpose.slots[1].tiles = WL_NEVER;
    generic.transpose.clusters.row = generic.transpose.clusters.large = WL_NEVER;
    generic.permute.async.torn_halves = 0;
}

const struct wl__tuned *wl__tuned_generic(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return &generic;
}
