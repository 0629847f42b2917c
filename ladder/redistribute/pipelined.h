/* `pipelined`: staged in chunks, so that packing, the link and unpacking work at the same time. */
#ifndef WIDELOAD_LADDER_PIPELINED_H
#define WIDELOAD_LADDER_PIPELINED_H

#include "ladder/tables.h"

/* Streams and events for each device of the problem's group: the state of the rungs whose copies cross. */
wl_error wl__pipelined_open(const struct wl_problem *problem, void **state);
void wl__pipelined_close(void *state);
wl_error wl__pipelined(wl_context *context, const struct wl_problem *problem, wl_stream stream);

/* cuMemcpyPeerAsync, between what is in the default stream of device `from` and what follows there.  The copy
 * has a stream of its own: in default streams CUDA lets a copy between two devices wait for all that both
 * have to do, and both wait for the copy, so the two ways would take turns. */
wl_error wl__peer_copy(const struct wl_problem *problem, unsigned from, unsigned to, wl_devptr to_address,
                       wl_devptr from_address, uint64_t bytes);

#endif
