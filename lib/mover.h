/* How an operation chooses among its kernels: a table of movers, and one function that picks from it.
 *
 * A mover says what it can do apart from what that costs.  The movers of a table stand from the most
 * specialised to the floor.  The floor is the last one, whose `can` is NULL: it takes every width, every
 * alignment and every device from compute capability 7.5 on.  So a pick always succeeds. */
#ifndef WIDELOAD_LIB_MOVER_H
#define WIDELOAD_LIB_MOVER_H

#include "lib/choice.h"

/* Costs are estimated times relative to a copy of the same bytes.  No mover is faster than a copy, so
 * WL_AS_COPY ends the search: the movers after that one are not asked. */
#define WL_AS_COPY 1.0 /* fastest of those that can, as measured */
#define WL_SECOND  1.2 /* slower than the specialised ones, and faster than the floor */
#define WL_FLOOR   1.5
#define WL_DEAR    2.0 /* it can, but the floor was faster */

/* One call's problem.  Each file with a table completes this type for itself. */
struct wl__problem;

struct wl__mover {
    const char *name, *why; /* for wl_explain() */
    /* Whether the result is right: width, alignment, limits of the shape, shared memory, the device.  False
     * never means slow.  NULL: always. */
    bool (*can)(const struct wl__problem *problem);
    /* Asked where it can.  A wrong cost makes a call slow, never wrong.  NULL: WL_AS_COPY. */
    double (*cost)(const struct wl__problem *problem);
    wl_error (*run)(const struct wl__problem *problem);
};

/* A table of at most WL_MOVERS_LIMIT movers, as many as `without` has bits: a longer one does not compile. */
struct wl__movers {
    const struct wl__mover *rows;
    unsigned count;
};
#define WL_MOVERS_LIMIT 32
#define WL_MOVERS(rows)                                                                                      \
    (struct wl__movers) {                                                                                    \
        rows, sizeof(rows) / sizeof(rows[0]) +                                                               \
                  0 * sizeof(char[sizeof(rows) / sizeof(rows[0]) <= WL_MOVERS_LIMIT ? 1 : -1])               \
    }

static inline double wl__cost_where(bool fastest) {
    return fastest ? WL_AS_COPY : WL_DEAR;
}
/* The cost of every floor: WL_FLOOR. */
double wl__cost_floor(const struct wl__problem *problem);

/* Of the movers that can, picks the one of least cost; of equal ones the first.  With WL_MASKS it skips the
 * rows whose bits `without` has.  NULL: none can. */
const struct wl__mover *wl__mover_pick(struct wl__movers movers, uint32_t without,
                                       const struct wl__problem *problem);

/* Runs a mover.  The mover's own choices are neither kept nor logged: wl_explain() reports `choice`, with the
 * mover's name and reason added. */
wl_error wl__mover_run(wl_context *context, const struct wl__mover *mover, struct wl__choice *choice,
                       const struct wl__problem *problem);

/* Picks a mover and runs it.  Where a kernel is masked (lib/mask.h), the next cheapest runs. */
wl_error wl__move(wl_context *context, struct wl__movers movers, struct wl__choice *choice,
                  const struct wl__problem *problem);

#endif
