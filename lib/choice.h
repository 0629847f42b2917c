/* What an operation chose, and why: kept per thread for wl_explain(), and logged if WIDELOAD_LOG asks for it.
 *
 * A call records static texts and numbers, about ten stores; they become words when somebody asks. */
#ifndef WIDELOAD_LIB_CHOICE_H
#define WIDELOAD_LIB_CHOICE_H

#include "lib/context.h"

#define WL_CHOICE_FACTS 6

struct wl__choice {
    const char *operation; /* "wl_transpose" */
    const char *kernel;    /* the row of the operation's table: "tile" */
    const char *why;       /* "both sides are long enough for square tiles" */
    /* The numbers of the request; the first without a name ends them. */
    struct wl__fact {
        const char *name; /* "rows" */
        uint64_t value;
    } facts[WL_CHOICE_FACTS];
};

/* All texts must be static. */
void wl__chose(const wl_context *context, const struct wl__choice *choice);

/* The same, and until wl__choice_end() the choices of the thread's operations are neither kept nor logged:
 * they carry out this one.  Calls nest. */
void wl__choice_begin(const wl_context *context, const struct wl__choice *choice);
void wl__choice_end(void);
bool wl__choice_is_held(void);

#endif
