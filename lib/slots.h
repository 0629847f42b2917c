/* How an output of any alignment is cut into 16-byte slots, which lib/cuda/slots.cuh fills. */
#ifndef WIDELOAD_LIB_SLOTS_H
#define WIDELOAD_LIB_SLOTS_H

#include "lib/context.h"

/* Threads of a block, WL_SLOT_THREADS of lib/cuda/slots.cuh. */
#define WL__SLOTS_THREADS 128

/* Slots are counted from the 128-byte line in which the output begins: so a warp's stores fill whole sectors,
 * wherever the output lies.  The output is bytes [lead, end) of them. */
struct wl__slots {
    wl_devptr line;
    uint64_t lead, end;
    uint64_t count;       /* slots that a thread must look at: ceil(end / 16) */
    uint64_t first, last; /* of [first, last) each is whole, and so is what it is made of */
};

/* The output of `bytes` bytes, each made of the byte at the same index of each input.  An input that does not
 * lie as the output does, modulo 16, is loaded by two aligned vectors for each slot: in [first, last) no such
 * vector goes past either end of the input. */
struct wl__slots wl__slots(wl_devptr out, const wl_devptr *inputs, unsigned count, uint64_t bytes);

/* Whether all inputs lie as the output does, modulo 16: a slot takes one load of each then. */
bool wl__slots_alike(wl_devptr out, const wl_devptr *inputs, unsigned count);

/* Runs a kernel of slots over that; one input or two, bytes > 0. */
wl_error wl__slots_launch(wl_context *context, wl__kernel kernel, wl_devptr out, const wl_devptr *inputs,
                          unsigned count, uint64_t bytes, wl_stream stream);

#endif
