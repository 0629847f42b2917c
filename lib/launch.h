/* Launches of any size: a grid has limits, a problem has none. */
#ifndef WIDELOAD_LIB_LAUNCH_H
#define WIDELOAD_LIB_LAUNCH_H

#include "lib/context.h"

struct wl__block {
    uint32_t x, y;
};

#define WL_GRID_X_LIMIT 2147483647u
#define WL_GRID_Y_LIMIT 65535u

/* One launch of grid_x x grid_y blocks; arguments point at the kernel's parameters. */
wl_error wl__launch(wl_context *context, wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                    struct wl__block block, void **arguments, wl_stream stream);

/* The same with dynamic shared memory.  A kernel without static shared memory may have up to
 * CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN; others have 48 KB, their own included. */
wl_error wl__launch_shared(wl_context *context, wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                           struct wl__block block, uint32_t shared_bytes, void **arguments, wl_stream stream);

/* The same in a row of blocks, `cluster` of which run at the same time on neighbouring multiprocessors if the
 * device can: compute capability 9.0.  Only speed depends on it: kernels do not know of it.  The grid is
 * rounded up to whole clusters, so some more blocks may run. */
wl_error wl__launch_clusters(wl_context *context, wl__kernel kernel, uint32_t blocks, uint32_t cluster,
                             uint32_t threads, uint32_t shared_bytes, void **arguments, wl_stream stream);

/* The same for blocks that all run at the same time, so that they may wait for each other: at most
 * wl__blocks_at_once().  Else, or if part of the device is taken, UNSUPPORTED, and nothing is launched.  The
 * driver must have cuLaunchKernelEx. */
wl_error wl__launch_cooperative(wl_context *context, wl__kernel kernel, uint32_t blocks, uint32_t threads,
                                uint32_t shared_bytes, void **arguments, wl_stream stream);
wl_error wl__blocks_at_once(wl_context *context, wl__kernel kernel, uint32_t threads, uint32_t shared_bytes,
                            uint64_t *blocks);

/* ceil(items / each) blocks in a row, in several launches if a grid cannot hold them.  The last argument must
 * point at *first, which each launch sets to the index of its first item. */
wl_error wl__launch_linear(wl_context *context, wl__kernel kernel, uint64_t items, uint64_t each,
                           struct wl__block block, void **arguments, uint64_t *first, wl_stream stream);

/* This thread's last launch; all 0 if there was none. */
struct wl__launched {
    const wl_context *context;
    CUfunction function;
    unsigned threads; /* per block */
};
struct wl__launched wl__last_launch(void);
void wl__note_launch(struct wl__launched launched);

#endif
