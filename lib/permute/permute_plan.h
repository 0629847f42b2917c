/* Plans permutations: reduces the problem and cuts it into tiles for the kernels.  Pure: no device, no
 * memory, thread-safe. */
#ifndef WIDELOAD_LIB_PERMUTE_PLAN_H
#define WIDELOAD_LIB_PERMUTE_PLAN_H

#include <stdbool.h>

#include "lib/permute/permute.h"
#include "lib/permute/permute_layout.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

#define WL__PERMUTE_THREADS 256 /* per block; 512 for the widest tiles */
#define WL__PERMUTE_HELD    8   /* accesses per thread and side, if they are held in registers */

/* What a plan aims at. */
struct wl__permute_aim {
    uint64_t extent[WL_RANK_MAX]; /* of a tile in each dimension */
    unsigned memory;              /* bytes per tile at most */
    unsigned threads;             /* per block at most */
    unsigned passes;              /* accesses per thread and side at most */
};

struct wl__permute_plan {
    struct wl_permute_sides sides;
    unsigned width; /* bytes per element */
    bool is_async;  /* asynchronous loads fill the tiles */
    bool in_shifted, out_shifted;
    unsigned threads, memory;               /* per block */
    unsigned blocks;                        /* most that should run on a multiprocessor; 0: as many as fit */
    unsigned cluster;                       /* neighbouring blocks that should run at the same time */
    unsigned in_passes, out_passes, passes; /* accesses per thread to each side, and the larger of both */
    uint64_t extent[WL_RANK_MAX];           /* of a tile in each dimension */
    uint64_t step[WL_RANK_MAX]; /* from one tile to the next: less than the extent if tiles share part of an
                                   access */
    unsigned in_run, out_run;   /* bytes */
    unsigned in_wave, out_wave; /* wavefronts per access of 32 lanes to shared memory, measured */
    double traffic;             /* elements visited per element of the array */
    double lanes;               /* share of threads' passes that are used, on the worse side */
    double cost;                /* if asynchronous loads fill the tiles: beyond a copy's, as a share of it */
};

/* Finds extents of a tile that has about so many contiguous bytes in each array. */
void wl__permute_extents(uint64_t *extent, const struct wl__permute_shape *shape, unsigned in_run,
                         unsigned out_run);
/* The contiguous bytes of a tile. */
unsigned wl__permute_run(const uint64_t *extent, const struct wl__permute_shape *shape, bool by_out);
/* Bytes at whose multiples a tile's contiguous pieces of `run` bytes begin and end in an array that begins at
 * a line, up to a line: a power of two. */
unsigned wl__permute_grain(const struct wl__permute_shape *shape, const uint64_t *extent, bool by_out,
                           unsigned run);

/* For division by `count`. */
struct wl_permute_divisor wl__permute_divisor(uint64_t count);

/* PAIRS: a pair of neighbours in the input comes first, then a few tiles in the output's order, then all
 * others in it.  NEAR: a few tiles in the output's order come first, then those in the input's order that are
 * not far apart in the output.  STREAMS: the output's order, three places of joined dimensions at a time. */
enum wl__permute_order { WL_PERMUTE_PAIRS, WL_PERMUTE_NEAR, WL_PERMUTE_STREAMS };

/* Of so many tiles along joined dimensions, how many are numbered: some may be moved twice, so that groups of
 * them come together. */
uint64_t wl__permute_joined_tiles(const struct wl__tuned_order *tuned, uint64_t tiles);

/* Numbers tiles of these extents, each `step` after the previous one; false if there are more than 2^31. */
bool wl__permute_number(const struct wl__tuned_permute *tuned, struct wl_permute_tiles *tiles,
                        const struct wl__permute_shape *shape, const uint64_t *extent, const uint64_t *step,
                        enum wl__permute_order order);

/* Plans tiles within an aim; false if there are none. */
bool wl__permute_tile(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                      const struct wl__permute_shape *shape, const struct wl__permute_aim *aim);

/* The same for asynchronous loads; false too if an access would not begin at 16 bytes. */
bool wl__permute_async(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                       const struct wl__permute_shape *shape, const uint64_t *extent);

/* How a side's accesses are shared out among a block's threads and a thread's passes, and how many are
 * used. */
struct wl__permute_accesses {
    unsigned threads, passes;
    double lanes;
};

/* Shares out the accesses that the axes span among at most so many threads and passes; false if that is not
 * possible. */
bool wl__permute_share(struct wl_permute_side *side, struct wl__permute_accesses *out,
                       const struct wl__permute_axis *axis, unsigned axes, unsigned threads, unsigned most);

/* Whether the input's last dimension, and all that come after it in the output, make up a tile of about 8 to
 * 46 KB: the tile's writes are contiguous then. */
bool wl__permute_is_whole(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape);

/* Makes the plan of least estimated cost, for a shape of rank 2 or more.  False only for more than 2^31
 * tiles, at least about 200 GB. */
bool wl__permute_plan_tiles(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                            const struct wl__permute_shape *shape, uint64_t to, uint64_t from);
/* The same for asynchronous loads; false if there is none. */
bool wl__permute_plan_async(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                            const struct wl__permute_shape *shape, uint64_t to, uint64_t from);
/* Whether that plan is estimated to be faster than the other. */
bool wl__permute_async_is_cheaper(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan,
                                  const struct wl__permute_shape *shape, uint64_t from);
/* Whether bulk copies (permute_bulk.h) are faster still, if they have a plan. */
bool wl__permute_is_slow(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan,
                         const struct wl__permute_shape *shape);

#endif
