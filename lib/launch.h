/* Launches of any size: a grid has limits, a problem has none. */
#ifndef WIDELOAD_LIB_LAUNCH_H
#define WIDELOAD_LIB_LAUNCH_H

#include "lib/context.h"

struct wl__block {
    uint32_t x, y;
};

#define WL_GRID_X_LIMIT 2147483647u
#define WL_GRID_Y_LIMIT 65535u

/* One launch, of grid_x x grid_y blocks; arguments point at the kernel's parameters. */
wl_error wl__launch(wl_context *context, wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                    struct wl__block block, void **arguments, wl_stream stream);

/* The same with dynamic shared memory. A kernel without static shared memory may have up to what
 * CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN says, others 48 KB with their own. */
wl_error wl__launch_shared(wl_context *context, wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                           struct wl__block block, uint32_t shared_bytes, void **arguments, wl_stream stream);

/* The same of blocks in a row, so many of which run at the same time and side by side (a cluster) where the
 * device can: compute capability 9.0.  It is about speed only: kernels do not know of it.  The grid is
 * rounded up to whole clusters, so that some blocks more may run. */
wl_error wl__launch_clusters(wl_context *context, wl__kernel kernel, uint32_t blocks, uint32_t cluster,
                             uint32_t threads, uint32_t shared_bytes, void **arguments, wl_stream stream);

/* The same of blocks that all run at the same time, so that they may wait for each other: at most
 * wl__blocks_at_once(), else UNSUPPORTED and nothing is launched, as where part of the device is taken.  The
 * driver must have cuLaunchKernelEx. */
wl_error wl__launch_cooperative(wl_context *context, wl__kernel kernel, uint32_t blocks, uint32_t threads,
                                uint32_t shared_bytes, void **arguments, wl_stream stream);
wl_error wl__blocks_at_once(wl_context *context, wl__kernel kernel, uint32_t threads, uint32_t shared_bytes,
                            uint64_t *blocks);

/* ceil(items / each) blocks in a row.  Where that is more than a grid holds, several launches.  The last of
 * the arguments must point at *first, which each launch finds set to the index of its first item. */
wl_error wl__launch_linear(wl_context *context, wl__kernel kernel, uint64_t items, uint64_t each,
                           struct wl__block block, void **arguments, uint64_t *first, wl_stream stream);

/* This thread's last launch; all 0 when there was none. */
struct wl__launched {
    const wl_context *context;
    CUfunction function;
    unsigned threads; /* a block */
};
struct wl__launched wl__last_launch(void);
void wl__note_launch(struct wl__launched launched);

#endif
