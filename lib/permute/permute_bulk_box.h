/* A tile that bulk copies fill, before it is laid out; internal to the planner. */
#ifndef WIDELOAD_LIB_PERMUTE_BULK_BOX_H
#define WIDELOAD_LIB_PERMUTE_BULK_BOX_H

#include "lib/permute/permute_bulk.h"
#include "lib/permute/permute_plan.h"
#include "lib/permute/permute_units.h"

#define SECTOR WL_PERMUTE_SECTOR
#define PIECE  256 /* bytes that memory prefers per write */
/* Bytes per block at most, tables included: WL_PERMUTE_BLOCKS fit a multiprocessor. */
#define WL_PERMUTE_BULK_MEMORY (56 * 1024)
/* Bytes of shared memory of a multiprocessor, and those that each block has besides its own. */
#define WL_PERMUTE_SHARED   (228 * 1024)
#define WL_PERMUTE_RESERVED 1024
/* Bytes of a unit that is looked up, of elements of 4 and 8 bytes. */
#define WL_PERMUTE_LOOK_UP 4
/* Rows per tile at most: more take longer to note than their elements to move. */
#define WL_PERMUTE_BULK_ROWS 4096

/* A shape whose first dimensions of the output are joined into one, the last of its `dim`.  Its stride in the
 * input is 0, as its rows lie anywhere. */
struct joined {
    struct wl__permute_shape shape;
    unsigned count; /* joined dimensions: 1 if none are */
    struct {
        uint64_t size, in; /* elements */
    } part[WL_RANK_MAX];
};

/* How narrow elements are taken from a tile: bytes by words; by words of columns that are side by side, where
 * all runs begin alike within a vector; elements by look-ups of their rows' places,
 * which the columns of a row share, or those along the dimension in which most can. */
enum taken {
    WL_TAKEN_BY_WORDS,
    WL_TAKEN_IN_GROUPS,
    WL_TAKEN_ALONG_ROWS,
    WL_TAKEN_ALONG_OTHERS,
    WL_TAKEN_WAYS
};

/* A tile, and what is contiguous in it. */
struct box {
    const struct wl__tuned_bulk *tuned;
    const struct wl__tuned_order *order;
    const struct joined *joined;
    const struct wl__permute_shape *shape;
    unsigned unit;    /* bytes that an element is moved by */
    bool narrow;      /* whether permute_narrow.cu or a kin of it moves it (permute_fill.cuh) */
    enum taken taken; /* of narrow elements */
    unsigned element; /* its bytes, if permute_units.cu packs them; else 0 */
    uint64_t extent[WL_RANK_MAX], step[WL_RANK_MAX];
    bool turn[WL_RANK_MAX]; /* dimensions that a run takes elements from by turns: each step is a row */
    bool row[WL_RANK_MAX];  /* dimensions along a row */
    bool side[WL_RANK_MAX]; /* dimensions that are contiguous in the input, along rows and across */
    bool wraps;             /* runs continue along the rows */
    uint64_t joined_load;   /* elements from one joined row to the next if some are contiguous */
    uint64_t turns;         /* product of the extents in `turn` */
    uint64_t row_length, side_length, run_length; /* elements */
    uint64_t in_grain, out_grain; /* bytes at whose multiples loaded rows, and stored runs, begin and end */
    bool shares;                  /* tiles overlap in the output's last dimension, and write whole sectors */
    double traffic;
};

/* Bytes at whose multiples something begins or ends, by the places' common bits. */
static inline uint64_t grain_of(uint64_t bits) {
    uint64_t grain = bits & -bits;
    return grain == 0 || grain > PIECE ? PIECE : grain;
}

/* Bytes past a line at which runs may begin. */
static inline unsigned past_line(uint64_t grain) {
    return grain < WL_PERMUTE_LINE ? (unsigned)(WL_PERMUTE_LINE - grain) : 0;
}

/* A layout of loads. */
struct layout {
    bool merged; /* contiguous rows are one load */
    bool cut;    /* but a load has only the rows that make up an access */
    unsigned phase, swizzle;
};

/* Elements that tiles share so that each has whole sectors. */
static inline unsigned shared_of(unsigned width, unsigned unit) {
    return (SECTOR - unit + width - 1) / width;
}

/* Rows after which `swizzle` is added to their places. */
static inline unsigned apart_of(unsigned unit, unsigned element, bool words) {
    return words ? 4 : element ? WL_PERMUTE_UNITS_GROUP(element) : WL_PERMUTE_ACCESS / unit;
}

/* permute_bulk_layout.c: completes a box whose extents are set; plans a tile, false where it does not fit. */
void wl__permute_bulk_look(struct box *box, uint64_t to, uint64_t from);
bool wl__permute_bulk_lay_out(struct wl__permute_bulk_plan *plan, const struct box *box,
                              const struct layout *layout);

/* The estimated cost of a tile beyond a copy, as a share of it (permute_bulk_cost.c); without banks, and the
 * cost of banks. */
double wl__permute_bulk_cost(const struct box *box, const struct wl__permute_bulk_plan *plan);
/* What it is made of for narrow elements: bytes of a run, and of all that it is part of, reads beyond the
 * array's bytes as a share of them, the grain of runs, and whether tiles overlap along them. */
struct runs {
    double bytes, whole, read;
    uint64_t grain;
    bool shares;
};
double wl__permute_bulk_cost_of_narrow(const struct wl__tuned_bulk *bulk_tuned, unsigned unit,
                                       const struct wl__permute_bulk_plan *plan, const struct runs *runs);
double wl__permute_bulk_cost_of_banks(const struct box *box, const struct wl__permute_bulk_plan *plan);

/* Adds a digit to rows' numbers: `in` bytes of the array lead to the next, along a load or to one of its own;
 * and one to runs' numbers: bytes along a row, rows, and bytes of the output. */
void wl__permute_bulk_add_row(struct wl_permute_bulk *bulk, uint64_t count, bool inner, uint64_t in,
                              uint64_t *loads);
void wl__permute_bulk_add_run(struct wl_permute_bulk *bulk, uint64_t count, uint64_t along, uint64_t rows,
                              uint64_t out);

/* Shares so many ends of each run among the block's warps. */
void wl__permute_bulk_share_ends(struct wl_permute_bulk *bulk, uint32_t ends);
/* Where runs have their ends: each column, or those that a run continues in. */
void wl__permute_bulk_number_ends(struct wl_permute_bulk *bulk);

/* Whether all runs of a tile begin alike within so many bytes, a power of two. */
bool wl__permute_bulk_begin_alike(const struct wl_permute_bulk *bulk, unsigned bytes);

/* permute_look_ups.c.  Columns that begin alike share look-ups.  Puts columns along the dimension of the
 * loads in which most do.  Returns false if they lie there already.  Runs that continue along the columns
 * leave no choice. */
bool wl__permute_look_ups_turn(struct wl_permute_bulk *bulk, unsigned unit);
/* Returns the bytes of the tables of rows' places. */
unsigned wl__permute_look_ups_tables(struct wl_permute_bulk *bulk, unsigned unit);
/* Blocks of so many bytes that a multiprocessor takes, of an array of `bytes`.  All together they have as
 * many threads, whatever their number. */
unsigned wl__permute_look_ups_blocks(const struct wl__tuned_bulk *tuned, unsigned memory, uint64_t bytes);
/* Lanes of a warp along a run at first. */
#define WL_PERMUTE_LANES 8
/* Numbers columns that share look-ups apart from the other runs, for blocks of so many threads, with so many
 * lanes of a warp along a run if it is long enough. */
void wl__permute_look_ups_number(struct wl_permute_bulk *bulk, unsigned unit, unsigned threads,
                                 unsigned lanes);
/* Wavefronts per element that a warp looks up (permute_bulk_cost.c). */
double wl__permute_look_ups_wavefronts(const struct wl_permute_bulk *bulk, unsigned unit);
/* Has more lanes of a warp along runs, or loads of bytes further apart, where fewer banks conflict then. */
void wl__permute_look_ups_part_banks(struct wl__permute_bulk_plan *plan);

/* Lays out the kernel's tables behind a tile of so many bytes, whose rows, runs and columns are set; false
 * where they do not fit, or where no other dimension is better for columns.  `taken` and `element` are a
 * box's; `bytes` are the array's. */
bool wl__permute_bulk_lay_out_narrow(const struct wl__tuned_bulk *tuned, struct wl__permute_bulk_plan *plan,
                                     unsigned unit, unsigned units, enum taken taken, unsigned element,
                                     uint64_t loads, uint64_t tile, uint64_t bytes);

/* permute_groups.c: shares a tile's groups of columns among warps.  Returns the bytes of the tables of rows'
 * places; 0 where runs do not begin alike. */
unsigned wl__permute_groups_number(struct wl_permute_bulk *bulk, const struct wl__tuned_column_groups *tuned,
                                   unsigned unit);
/* What a tile's warps take, for so many wavefronts of a load from the tile; and how many these are
 * (permute_bulk_cost.c). */
double wl__permute_groups_cost(const struct wl__tuned_column_groups *tuned,
                               const struct wl_permute_bulk *bulk, unsigned unit, double waves);
double wl__permute_groups_wavefronts(const struct wl_permute_bulk *bulk, unsigned unit);

/* permute_units.c: the bytes of an element that is packed, or 0. */
unsigned wl__permute_units_of(unsigned width, uint64_t to, uint64_t from);
/* Shares a tile's columns and runs among warps.  Returns the bytes of the tables of rows' places. */
unsigned wl__permute_units_number(struct wl_permute_bulk *bulk, const struct wl__tuned_units *tuned,
                                  unsigned unit);
/* What a tile's warps take for that; the least per byte; and what banks add, for so many wavefronts. */
double wl__permute_units_cost(const struct wl__tuned_units *tuned, const struct wl_permute_bulk *bulk);
double wl__permute_units_least(const struct wl__tuned_units *tuned, unsigned element);
double wl__permute_units_cost_of_banks(const struct wl__tuned_units *tuned,
                                       const struct wl_permute_bulk *bulk, double waves);

#endif
