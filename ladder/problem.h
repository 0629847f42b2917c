/* Shared by the ladder's tables: a problem's checks, its block, and the cutting of arrays. */
#ifndef WIDELOAD_LIB_PROBLEM_H
#define WIDELOAD_LIB_PROBLEM_H

#include "ladder/kernels.h"
#include "ladder/ladder.h"
#include "lib/arguments.h"
#include "lib/launch.h"

/* An experiment's rungs, as its file exports them. */
struct wl__rungs {
    const struct wl_rung *rungs;
    size_t count;
};

/* The problem's block, or the default; a single dimension of 0 counts as 1. */
struct wl__block wl__block(const struct wl_problem *problem, uint32_t default_x, uint32_t default_y);
/* The same for a 1-D kernel: all its threads in x. */
struct wl__block wl__block_linear(const struct wl_problem *problem, uint32_t default_threads);

/* The `applicable` slot of rungs whose block can be chosen. */
const char *wl__block_applicable(wl_context *context, const struct wl_problem *problem);

/* Refuses null and misaligned arrays (4-byte elements) among those named by the masks' bits; then a bad
 * block, unless fixed_block; then more bytes than an address space has. */
wl_error wl__check(wl_context *context, const struct wl_problem *problem, unsigned ins, unsigned outs,
                   bool fixed_block, uint64_t bytes);

/* n elements, cut for vector accesses: head elements precede the body's first vector. */
struct wl__cut {
    uint64_t head, vectors;
    unsigned width; /* elements per vector */
};

/* Cuts arrays of 4-byte elements at these addresses.  No vectors if their alignments differ. */
struct wl__cut wl__cut(const wl_devptr *addresses, unsigned count, uint64_t n, unsigned width);

/* The number of threads for a cut: one per vector, and one per element outside the body. */
uint64_t wl__cut_threads(const struct wl__cut *cut, uint64_t n);

#endif
