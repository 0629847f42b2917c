/* The movers of permutations: their table, and those that have a file of their own. */
#ifndef WIDELOAD_LIB_PERMUTE_MOVERS_H
#define WIDELOAD_LIB_PERMUTE_MOVERS_H

#include "lib/mover.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

/* movers.c: moves a shape that is reduced and not empty by the mover that serves it.  The choice has the
 * call's name and facts. */
wl_error wl__permute_move(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                          wl_devptr from, struct wl__choice *choice, wl_stream stream);

/* permute_few.cu: up to 8 rows, or columns, that are whole vectors on the other side. */
bool wl__permute_can_few(const struct wl__permute_shape *shape, wl_devptr to, wl_devptr from);
/* Where it can. */
double wl__permute_cost_few(const wl_context *context, const struct wl__permute_shape *shape);
wl_error wl__permute_run_few(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                             wl_devptr from, wl_stream stream);

/* permute_rows.c: rows move as a whole. */
bool wl__permute_has_rows(const struct wl__permute_shape *shape);
/* The others are of shapes that have rows.  Bytes of one. */
uint64_t wl__permute_row_bytes(const struct wl__permute_shape *shape);
/* Whether rows that follow each other in the input are far apart in the output. */
bool wl__permute_parts_rows(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape);
/* Whether these share sectors of the input that the L2 has lost when the next one moves: boxes that load
 * whole lines are faster. */
bool wl__permute_tears_rows(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape);
/* Whether rows are so long that they move one by one, unless they are torn. */
bool wl__permute_has_long_rows(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape);
/* A small array's strips are few, and the last of them leave multiprocessors idle: rows are faster one by one
 * there.  Rows of 4-byte words that would have seams are so only in arrays that the L2 holds. */
bool wl__permute_rows_beat_strips(const wl_context *context, const struct wl__permute_shape *shape);
wl_error wl__permute_run_rows(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                              wl_devptr from, wl_stream stream);

#endif
