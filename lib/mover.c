#include "lib/mover.h"

#include <math.h>

#ifdef WL_MASKS
int wl__only = WL_ONLY_ANY;
#endif

double wl__cost_floor(const struct wl__problem *problem) {
    (void)problem;
    return WL_FLOOR;
}

/* The rows that are never picked, as bits. */
static uint32_t passed_over(struct wl__movers movers) {
#ifdef WL_MASKS
    const unsigned only = wl__only == WL_ONLY_FLOOR ? movers.count - 1 : (unsigned)wl__only;
    if (wl__only != WL_ONLY_ANY && !wl__choice_is_held())
        return only < movers.count ? ~(UINT32_C(1) << only) : UINT32_MAX;
#endif
    (void)movers;
    return 0;
}

const struct wl__mover *wl__mover_pick(struct wl__movers movers, uint32_t without,
                                       const struct wl__problem *problem) {
    const struct wl__mover *best = NULL;
    double least = INFINITY;
    without |= passed_over(movers);
    for (const struct wl__mover *mover = movers.rows; mover < movers.rows + movers.count; mover++) {
        if ((WL_MASKING && without >> (mover - movers.rows) & 1) || (mover->can && !mover->can(problem)))
            continue;
        const double cost = mover->cost ? mover->cost(problem) : WL_AS_COPY;
        if (cost <= WL_AS_COPY)
            return mover;
        if (cost < least) {
            best = mover;
            least = cost;
        }
    }
    return best;
}

wl_error wl__mover_run(wl_context *context, const struct wl__mover *mover, struct wl__choice *choice,
                       const struct wl__problem *problem) {
    choice->kernel = mover->name;
    choice->why = mover->why;
    wl__choice_begin(context, choice);
    const wl_error error = mover->run(problem);
    wl__choice_end();
    return error;
}

wl_error wl__move(wl_context *context, struct wl__movers movers, struct wl__choice *choice,
                  const struct wl__problem *problem) {
    uint32_t without = 0;
    wl_error error;
    do {
        const struct wl__mover *mover = wl__mover_pick(movers, without, problem);
        if (!mover)
            return WL_ERROR_MASKED;
        error = wl__mover_run(context, mover, choice, problem);
        without |= UINT32_C(1) << (mover - movers.rows);
    } while (WL_MASKING && error == WL_ERROR_MASKED);
    return error;
}
