/* Cuts an output of any alignment into 16-byte slots, which lib/cuda/slots.cuh fills. */
#ifndef WIDELOAD_LIB_SLOTS_H
#define WIDELOAD_LIB_SLOTS_H

#include "lib/context.h"

/* Threads per block, WL_SLOT_THREADS of lib/cuda/slots.cuh.  Copies and sums of less than
 * context->tuned->large_arrays have twice as many. */
#define WL__SLOTS_THREADS 128

/* Slots are counted from the 128-byte line in which the output begins: so a warp's stores fill whole sectors,
 * whatever the output's alignment.  The output is bytes [lead, end) of them. */
struct wl__slots {
    wl_devptr line;
    uint64_t lead, end;
    uint64_t count;       /* slots that threads must check: ceil(end / 16) */
    uint64_t first, last; /* each slot of [first, last) is whole, and so are its input vectors */
};

/* Cuts an output of `bytes` bytes, each made of the byte at the same index of each input.  An input whose
 * alignment modulo 16 differs from the output's is loaded by two aligned vectors per slot: in [first, last)
 * no such vector goes past either end of the input. */
struct wl__slots wl__slots(wl_devptr out, const wl_devptr *inputs, unsigned count, uint64_t bytes);

/* Whether all inputs have the output's alignment modulo 16: a slot takes one load of each then. */
bool wl__slots_alike(wl_devptr out, const wl_devptr *inputs, unsigned count);

/* Runs a kernel over these slots; one input or two, bytes > 0. */
wl_error wl__slots_launch(wl_context *context, wl__kernel kernel, wl_devptr out, const wl_devptr *inputs,
                          unsigned count, uint64_t bytes, wl_stream stream);

#endif
