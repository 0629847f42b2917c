/* How blocks take turns whose tiles fill all shared memory.  They load, and then they store: blocks that
 * begin together do both together, and neither the memory nor the instructions are busy all the time.  A grid
 * of a few such waves of blocks takes longer by that.
 *
 * Less than a wave begins as it is.  All its blocks run at once, and to wait only makes it longer; and the
 * next kernel's blocks would crowd where places are free.
 *
 * Measured on an H200, arrays of 22 to 100 MB: what wl_take_turn() and wl_let_next() save together is 3 to 9
 * % of the time where calls follow each other (docs/notes/permute.md). */
#ifndef WIDELOAD_KERNELS_PERMUTE_TURNS_CUH
#define WIDELOAD_KERNELS_PERMUTE_TURNS_CUH

#include "lib/cuda/earlier.cuh"
#include "lib/permute/permute.h"

/* One thread calls it before its block loads.  Of the blocks that a multiprocessor takes first, it lets each
 * wait for those before it to load. */
static __device__ __forceinline__ void wl_take_turn(const struct wl_permute_start &start) {
    if (gridDim.x < start.wave || blockIdx.x >= start.wave)
        return;
    uint32_t wait = 0;
#pragma unroll
    for (uint32_t i = 1; i < WL_PERMUTE_BLOCKS; i++)
        wait += blockIdx.x >= i * start.multiprocessors ? start.wait : 0;
    if (wait) {
        wl_await_earlier();
        for (const uint32_t begin = (uint32_t)clock(); (uint32_t)clock() - begin < wait;)
            __nanosleep(32);
    }
}

/* A block calls it once its tile is loaded.  When all have, the next kernel's blocks may take the places of
 * those that end. */
static __device__ __forceinline__ void wl_let_next(const struct wl_permute_start &start) {
    if (gridDim.x >= start.wave)
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

#endif
