/* The rung `partition` of csr-transpose: ladder/csr_transpose/partition.cu. */
#ifndef WIDELOAD_LADDER_PARTITION_H
#define WIDELOAD_LADDER_PARTITION_H

#define WL_PARTITION_THREADS 512
#define WL_PARTITION_TILE    8192 /* entries that a block moves */
#define WL_PARTITION_RANGES  512  /* at most */

#ifndef __CUDACC__
#include "ladder/ladder.h"

/* Fields of struct wl_rung.  The problem has entries, and has been checked. */
uint64_t wl__partition_work_bytes(wl_context *context, const struct wl_problem *problem);
wl_error wl__partition(wl_context *context, const struct wl_problem *problem, wl_stream stream);
#endif

#endif
