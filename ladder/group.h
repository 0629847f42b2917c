/* Several devices of one process: how an experiment spreads its arrays over them, and their order.
 *
 * A matrix lies on the devices by rows: device r has an even share of them, and the first devices have one
 * row more if it does not divide.  Device r wants an even share of the rows of the transpose, which are
 * columns. What r has and s wants is a piece: r's rows of s's columns. */
#ifndef WIDELOAD_LADDER_GROUP_H
#define WIDELOAD_LADDER_GROUP_H

#include "wideload.h"

enum { WL_DEVICES_LEAST = 2, WL_DEVICES_MOST = 16 };

/* The devices, in the order of their numbers.  Their default streams stand for the group. */
struct wl_group {
    unsigned count;
    unsigned first; /* number of the first device; the others follow it */
    wl_context *contexts[WL_DEVICES_MOST];
    void *events[WL_DEVICES_MOST]; /* CUevent; wl__group_open() makes them */
};

/* The addresses of each device's parts of in[0] and out[0], and of its work area. */
struct wl_parts {
    wl_devptr in[WL_DEVICES_MOST], out[WL_DEVICES_MOST], work[WL_DEVICES_MOST];
};

/* Gives each device access to the memory of all others, which stays, and makes the events.  count and
 * contexts are set.  UNSUPPORTED if two devices have no peer access: the message names them.  After a failure
 * there is nothing to close. */
wl_error wl__group_open(struct wl_group *group);
void wl__group_close(struct wl_group *group);

/* What follows on the default stream of a device waits for what is there now on those of all devices. */
wl_error wl__group_meet(const struct wl_group *group);

/* The first of the rows that device `i` of `count` has of a `total`; i = count: the end. */
static inline uint64_t wl__share(uint64_t total, unsigned count, unsigned i) {
    uint64_t more = total % count;
    return total / count * i + (i < more ? i : more);
}

/* The rows and columns of the matrix that device `from` has and `to` wants. */
struct wl_piece {
    uint64_t row, rows, col, cols;
};

static inline struct wl_piece wl__piece(uint64_t rows, uint64_t cols, unsigned count, unsigned from,
                                        unsigned to) {
    struct wl_piece piece = {.row = wl__share(rows, count, from), .col = wl__share(cols, count, to)};
    piece.rows = wl__share(rows, count, from + 1) - piece.row;
    piece.cols = wl__share(cols, count, to + 1) - piece.col;
    return piece;
}

#endif
