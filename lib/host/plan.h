/* How a copy between strides is done on the host: which blocks it is cut into, and how each one moves. */
#ifndef WIDELOAD_LIB_HOST_PLAN_H
#define WIDELOAD_LIB_HOST_PLAN_H

#include "lib/host/host.h"
#include "lib/host/kernels.h"

/* Most bytes of a block, which stays in the first or second level of the caches; and of one of tiles that go
 * past the caches. */
#define WL_HOST_BLOCK 32768
#define WL_HOST_TILES 65536

struct wl__host_plan {
    struct wl__strided all; /* rank 1 or more */
    /* The dimensions whose elements are nearest to each other in the output and in the input; across is 0. */
    unsigned across, down;
    uint64_t block[WL_RANK_MAX]; /* elements of a block along each dimension */
    uint64_t count[WL_RANK_MAX]; /* blocks */
    unsigned order[WL_RANK_MAX]; /* in which blocks follow each other, the fastest dimension first */
    uint64_t blocks, block_bytes, block_most; /* bytes that a block has, and may have */
    wl__host_transpose *transpose; /* of across and down, which change places; NULL: elements move by lines */
    wl__host_line *line;
    /* How a block is written: each element in its place; in scratch memory, from which whole lines go to the
     * output; the same, and it is read and written by rows; or elements are rows that go past the caches. */
    enum { STORED, STAGED, STAGED_TILES, STREAMED } stores;
    bool past; /* the output goes past the caches */
};

/* Plans a problem that is reduced, as a part of an output of so many bytes. */
void wl__host_plan(struct wl__host_plan *plan, const struct wl__host *host, const struct wl__strided *all,
                   uint64_t bytes);

/* A wl__host_work: moves these blocks. */
void wl__host_move_blocks(const void *plan, uint64_t first, uint64_t end);

#endif
