/* Sorts a sparse matrix's entries in several runs, and merges these: where one sort's words would make the
 * workspace larger than the output. */
#ifndef WIDELOAD_LIB_RUNS_H
#define WIDELOAD_LIB_RUNS_H

#include "lib/sparse/sort.h"

/* What a sort in one run keeps between two passes may be larger than the output by so many bytes for each key
 * and each row, and for 2^20 more of them.  A test lowers it. */
extern uint64_t wl__runs_spare;

/* Bytes of the workspace, and the sort: in one run or in several.  Ranges of columns are tried before, if
 * they suit. There is at least one entry. */
uint64_t wl__runs_workspace(const wl_context *context, const struct wl__sort *sort);
wl_error wl__runs_sort(wl_context *context, const struct wl__sort *sort, wl_stream stream);

#endif
