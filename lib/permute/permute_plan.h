/* How dimensions are permuted: the problem made as small as it is, and cut into tiles for the kernels.  Pure:
 * no device, no memory, any thread. */
#ifndef WIDELOAD_LIB_PERMUTE_PLAN_H
#define WIDELOAD_LIB_PERMUTE_PLAN_H

#include <stdbool.h>

#include "lib/permute/permute.h"
#include "lib/permute/permute_layout.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

#define WL__PERMUTE_THREADS 256 /* of a block, but for the widest tiles' of 512 */
#define WL__PERMUTE_HELD    8   /* accesses of a thread to a side, where they are held in registers */

/* What a plan aims at. */
struct wl__permute_aim {
    uint64_t extent[WL_RANK_MAX]; /* of a tile in each dimension */
    unsigned memory;              /* bytes of a tile at most */
    unsigned threads;             /* a block at most */
    unsigned passes;              /* accesses of a thread to a side at most */
};

struct wl__permute_plan {
    struct wl_permute_sides sides;
    unsigned width; /* bytes of an element */
    bool is_async;  /* asynchronous loads fill the tiles */
    bool in_shifted, out_shifted;
    unsigned threads, memory;               /* a block's */
    unsigned blocks;                        /* that should have a multiprocessor at most; 0: as many as fit */
    unsigned cluster;                       /* blocks that should run at the same time, side by side */
    unsigned in_passes, out_passes, passes; /* accesses of a thread to each side, and the more of both */
    uint64_t extent[WL_RANK_MAX];           /* of a tile in each dimension */
    uint64_t step[WL_RANK_MAX]; /* from a tile to the next: less where tiles share what is between whole
                                   accesses */
    unsigned in_run, out_run;   /* bytes */
    unsigned in_wave, out_wave; /* wavefronts that 32 lanes' access to shared memory takes, measured */
    double traffic;             /* elements visited by elements of the array */
    double lanes;               /* share of threads' passes that are used, the worse side's */
    double cost;                /* of tiles that asynchronous loads fill: beyond a copy's, as a share of it */
};

/* Extents of a tile whose elements lie side by side for about so many bytes in each array. */
void wl__permute_extents(uint64_t *extent, const struct wl__permute_shape *shape, unsigned in_run,
                         unsigned out_run);
/* The bytes that do. */
unsigned wl__permute_run(const uint64_t *extent, const struct wl__permute_shape *shape, bool by_out);

/* For dividing by count. */
struct wl_permute_divisor wl__permute_divisor(uint64_t count);

/* Some tiles that are neighbours in the input come first, a pair or some eight, then a few of the output's
 * order, then all others in it.  Near ones: a few of the output's come first, then of the input's those that
 * do not lie far apart in the output.  Streams: the output's order, of joined dimensions in three places at a
 * time. */
enum wl__permute_order { WL_PERMUTE_PAIRS, WL_PERMUTE_ROWS, WL_PERMUTE_NEAR, WL_PERMUTE_STREAMS };

/* Numbers the tiles of these extents, each `step` after the one before; false for more than 2^31. */
bool wl__permute_number(const struct wl__tuned_permute *tuned, struct wl_permute_tiles *tiles,
                        const struct wl__permute_shape *shape, const uint64_t *extent, const uint64_t *step,
                        enum wl__permute_order order);

/* A plan that keeps to an aim; false where none can. */
bool wl__permute_tile(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                      const struct wl__permute_shape *shape, const struct wl__permute_aim *aim);

/* The same of these extents for asynchronous loads: false too where an access would not begin at 16 bytes. */
bool wl__permute_async(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                       const struct wl__permute_shape *shape, const uint64_t *extent);

/* How a side's accesses were shared out: those of a block's threads, and of a thread; what is used of them.
 */
struct wl__permute_accesses {
    unsigned threads, passes;
    double lanes;
};

/* Shares out the accesses that the axes span among at most so many threads and passes; false where that is
 * not possible. */
bool wl__permute_share(struct wl_permute_side *side, struct wl__permute_accesses *out,
                       const struct wl__permute_axis *axis, unsigned axes, unsigned threads, unsigned most);

/* Whether the input's last dimension, and all that come after it in the output, make up a tile of some 8 to
 * 46 KB: what a tile writes lies side by side then. */
bool wl__permute_is_whole(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape);

/* The plan of the least estimated cost, for a shape of rank 2 or more.  False only for more than 2^31 tiles,
 * some 200 GB at least. */
bool wl__permute_plan_tiles(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                            const struct wl__permute_shape *shape, uint64_t to, uint64_t from);
/* The same for asynchronous loads; false where there is none. */
bool wl__permute_plan_async(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                            const struct wl__permute_shape *shape, uint64_t to, uint64_t from);
/* Whether that plan is estimated to be faster than the other. */
bool wl__permute_async_is_cheaper(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan,
                                  const struct wl__permute_shape *shape, uint64_t to, uint64_t from);
/* Whether bulk copies (permute_bulk.h) are faster still, if they have a plan. */
bool wl__permute_is_slow(const struct wl__tuned_permute *tuned, const struct wl__permute_plan *plan,
                         const struct wl__permute_shape *shape);
/* Matrices whose rows are so short that these tiles move them faster than transposes do: many lie side by
 * side in one. */
bool wl__permute_is_near(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape,
                         uint64_t to, uint64_t from);

#endif
