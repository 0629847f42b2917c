/* Transposes of matrices whose neighbouring rows have entries in neighbouring columns (ranges.cu). */
#ifndef WIDELOAD_LIB_RANGES_H
#define WIDELOAD_LIB_RANGES_H

#include "lib/sparse/sort.h"

/* From so many entries on; a test lowers it. */
extern uint64_t wl__ranges_least;

/* Whether a transpose is tried so before the entries are sorted. */
bool wl__ranges_suit(const wl_context *context, const struct wl__sort *sort);
/* Bytes of its workspace, aligned to WL__SORT_ALIGNMENT. */
uint64_t wl__ranges_workspace(const struct wl__sort *sort);
/* Transposes.  After it the workspace begins with 4 bytes: they are 0 if it could, and if it could not, all
 * bits of the result's starts are set. */
wl_error wl__ranges_run(wl_context *context, const struct wl__sort *sort, wl_devptr workspace,
                        wl_stream stream);

#endif
