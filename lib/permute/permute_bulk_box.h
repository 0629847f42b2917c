/* A tile that bulk copies fill, as it is thought of before it is laid out; inside the planner. */
#ifndef WIDELOAD_LIB_PERMUTE_BULK_BOX_H
#define WIDELOAD_LIB_PERMUTE_BULK_BOX_H

#include "lib/permute/permute_bulk.h"
#include "lib/permute/permute_plan.h"

#define SECTOR WL_PERMUTE_SECTOR
#define PIECE  256 /* bytes that memory likes to be written at once */

/* A shape whose first dimensions of the output are joined to one, the last of its `dim`: its stride in the
 * input is 0, as its rows lie anywhere. */
struct joined {
    struct wl__permute_shape shape;
    unsigned count; /* of dimensions that are joined: 1 where none are */
    struct {
        uint64_t size, in; /* elements */
    } part[WL_RANK_MAX];
};

/* What side by side means in a tile. */
struct box {
    const struct wl__tuned_bulk *tuned;
    const struct joined *joined;
    const struct wl__permute_shape *shape;
    unsigned unit; /* bytes that an element is moved by */
    uint64_t extent[WL_RANK_MAX], step[WL_RANK_MAX];
    bool
        turn[WL_RANK_MAX]; /* dimensions whose elements a run takes in turn: each step is a row of the tile */
    bool row[WL_RANK_MAX]; /* dimensions along a row */
    bool
        side[WL_RANK_MAX]; /* dimensions that lie side by side in the input, along rows and from row to row */
    bool wraps;            /* runs go on along the rows */
    uint64_t joined_load;  /* elements from a joined row to the next where some are side by side */
    uint64_t turns;        /* product of the extents in `turn` */
    uint64_t row_length, side_length, run_length; /* elements */
    uint64_t in_grain,
        out_grain; /* bytes of which rows that are loaded, and runs, begin and end at multiples */
    bool shares;   /* tiles overlap in the output's last dimension, and write whole sectors */
    double traffic;
};

/* Bytes of which something begins or ends at multiples, by the places' common bits. */
static inline uint64_t grain_of(uint64_t bits) {
    uint64_t grain = bits & -bits;
    return grain == 0 || grain > PIECE ? PIECE : grain;
}

/* How far runs may begin past a line. */
static inline unsigned past_line(uint64_t grain) {
    return grain < WL_PERMUTE_LINE ? (unsigned)(WL_PERMUTE_LINE - grain) : 0;
}

/* The blocks that a multiprocessor holds.  Numbers between 4 and 8 were no better. */
static inline unsigned blocks_of(const struct wl__tuned_bulk *tuned, unsigned memory, unsigned unit) {
    return memory <= tuned->memory_of_8 && unit >= 4 ? 8 : 4;
}

/* How loads are laid out. */
struct layout {
    bool merged; /* rows that lie side by side are one load */
    bool cut;    /* but so many of them a load as make up an access */
    unsigned phase, swizzle;
};

/* Elements that tiles share so that each has whole sectors. */
static inline unsigned shared_of(unsigned width, unsigned unit) {
    return (SECTOR - unit + width - 1) / width;
}

/* permute_bulk_layout.c: completes a box whose extents are set; plans a tile, false where it does not fit. */
void wl__permute_bulk_look(struct box *box, uint64_t to, uint64_t from);
bool wl__permute_bulk_lay_out(struct wl__permute_bulk_plan *plan, const struct box *box,
                              const struct layout *layout);

/* The estimated cost of a tile beyond a copy, as a share of it (permute_bulk_cost.c): but for banks, and what
 * those add. */
double wl__permute_bulk_cost(const struct box *box, const struct wl__permute_bulk_plan *plan);
double wl__permute_bulk_cost_of_banks(const struct box *box, const struct wl__permute_bulk_plan *plan);

#endif
