/* What the host tells the permuting kernels: plain C, included by both sides.  All of it travels in the
 * launch's parameters, so there are no tables in device memory.
 *
 * A tile is a box of the array: some extent of some dimensions; a block moves one.  Its elements are visited
 * twice, by loads in the input's order and by stores in the output's, each visit a `side`: the threads of the
 * block make up the first dimensions of the tile, and passes the rest.  A pass lies at the same distance from
 * the first pass in every thread, so a thread computes its own place once and finds all its others by adding
 * constants.
 *
 * An access is 16 bytes.  Where rows do not begin at multiples of 16 bytes it is shifted down to such a
 * multiple: a row of `length` elements is then covered by one access more, and of the first and the last of
 * them only some elements count. */
#ifndef WIDELOAD_KERNELS_PERMUTE_H
#define WIDELOAD_KERNELS_PERMUTE_H

#include <stdint.h>

#include "lib/cuda/divisor.h"

#define WL_PERMUTE_ACCESS 16
#define WL_PERMUTE_DIGITS 16 /* of a tile's number */
#define WL_PERMUTE_PARTS  10 /* of a thread's number */
#define WL_PERMUTE_PASSES 16 /* accesses of a thread to one side of a tile */

/* n / count = umulhi(n, magic) >> shift for n < 2^31; count >= 2, or 1 where a kernel looks first. */
struct wl_permute_divisor {
    uint32_t count, magic, shift;
};

/* One digit of a tile's number: where it leads in bytes.  The last tile of a dimension is moved back so that
 * it ends with the dimension: tiles overlap there, and write the same values. */
struct wl_permute_digit {
    struct wl_permute_divisor by;
    uint32_t edges;             /* 1: stores at the ends of this dimension are cut there, and only there */
    uint64_t in, out;           /* a step of the digit */
    uint64_t in_back, out_back; /* what the last step is short of that */
    uint32_t row, row_back;     /* where the digit counts rows of joined dimensions: the same in rows */
};

/* One digit of a thread's number. */
struct wl_permute_part {
    struct wl_permute_divisor by;
    uint32_t shared; /* bytes in the tile's memory */
    uint64_t global; /* bytes in the array */
    uint32_t begin;  /* elements along a shifted row */
    uint32_t unused;
};

struct wl_permute_side {
    uint32_t parts;
    uint32_t step;   /* bytes in the tile's memory from an element of an access to the next */
    uint32_t length; /* elements of a shifted row */
    uint32_t whole;  /* accesses that begin before this element of a row are stored whole */
    struct wl_permute_part part[WL_PERMUTE_PARTS];
    uint32_t limit[WL_PERMUTE_PASSES];  /* the threads that take part in a pass; 0 past the last pass */
    uint32_t shared[WL_PERMUTE_PASSES]; /* where the pass lies from the first */
    uint32_t begin[WL_PERMUTE_PASSES];
    uint64_t global[WL_PERMUTE_PASSES];
};

struct wl_permute_tiles {
    uint64_t to, from; /* addresses */
    uint64_t bytes;    /* of each array */
    uint64_t whole;    /* accesses that begin before this byte of an array lie within it */
    uint32_t tiles;    /* fewer than 2^31 */
    uint32_t digits;
    struct wl_permute_digit digit[WL_PERMUTE_DIGITS];
};

struct wl_permute_sides {
    struct wl_permute_tiles tiles;
    struct wl_permute_side in, out;
    /* Of tiles that asynchronous loads fill. */
    uint32_t turn;   /* vectors change places by this many bits of where they are */
    uint64_t column; /* bytes in the output from a narrow element of a row to the next */
};

/* Tiles that bulk copies fill: WL_PERMUTE_SECTOR bytes are what a copy is charged for, and what stores fill
 * whole. */
#define WL_PERMUTE_SECTOR 32
#define WL_PERMUTE_LINE   128
#define WL_PERMUTE_RANK   8

/* One digit of the number of a row of the tile, as the input has it. */
struct wl_permute_row {
    struct wl_permute_divisor by;
    uint32_t inner; /* bytes along a load; 0: each step is a load of its own */
    uint64_t in;    /* bytes in the array */
};

/* Dimensions of the output that a tile takes as one, its rows numbered through all of them: where the input
 * has a row is worked out from its number in the array, digit by digit. */
struct wl_permute_joined {
    struct wl_permute_divisor by;
    uint64_t in; /* bytes in the array */
};

/* One digit of the number of a run of the tile, as the output has it. */
struct wl_permute_run {
    struct wl_permute_divisor by;
    uint32_t along; /* bytes along a row of the tile */
    uint32_t rows;  /* rows of the tile */
    uint64_t out;   /* bytes in the array */
};

/* A tile is rows of bytes that lie side by side in the input, each at a place of its own in shared memory.  A
 * run is what lies side by side in the output: an element of each of `turn` rows in turn, then the next
 * element of each.  Both kinds are numbered, and what their numbers say is looked up in tables that the block
 * makes while its loads are under way. */
struct wl_permute_bulk {
    struct wl_permute_tiles tiles;
    uint32_t rows, load;      /* rows of the tile; bytes of a load, of one row or of several */
    uint32_t pitch, swizzle;  /* bytes in shared memory from load to load; more after each 16 bytes' worth */
    uint32_t phase;           /* loads keep their places within so many bytes */
    uint32_t turn_pad, turns; /* more where the first digit of a load's number begins anew; how often it does
                               * in the joined rows of a tile at most */
    uint32_t row_parts, run_parts, joined_parts;
    uint32_t joined_rows; /* all of them, where stores at the ends of tiles are cut, and only there; or 0 */
    uint32_t joined_load; /* bytes from a joined row to the next where the first digit's lie side by side:
                           * they are one load; 0: loads of their own */
    struct wl_permute_row row[WL_PERMUTE_RANK];
    struct wl_permute_run run[WL_PERMUTE_RANK];
    struct wl_permute_joined joined[WL_PERMUTE_RANK];
    uint32_t runs, length;          /* runs of the tile; elements of one */
    struct wl_permute_divisor turn; /* rows that a run takes elements from in turn */
    uint32_t lanes;                 /* of a warp along a run: a power of two; the others take the next runs */
    uint32_t cells;                 /* warps' accesses */
    struct wl_permute_divisor along;        /* those along a run */
    uint32_t run_table, row_table, barrier; /* where these lie in shared memory */
    /* Of narrow elements, whose runs are numbered apart from the columns of a row.  Columns that begin alike
     * within a sector are of one kind. */
    uint32_t units;                  /* of an element */
    uint32_t columns;                /* of a row of the tile */
    uint64_t column_out;             /* bytes of the output from a column to the next */
    struct wl_permute_divisor span;  /* units of a column's run */
    struct wl_permute_divisor kinds; /* warps' worth of kinds of columns */
    uint32_t wraps;                  /* runs go on along the rows */
    uint32_t odd;                    /* what the rows' distance in units is modulo 4 if it is odd, else 0 */
    uint32_t quarter;                /* of a table's loads */
};

/* Tiles of rows that stay together, wherever they begin: some that lie side by side in the input are a load,
 * and one of each load, which lie side by side in the output, are a run. */
struct wl_permute_strips {
    struct wl_permute_tiles tiles;
    struct wl_divisor row_bytes;
    uint32_t loads, load, pitch;    /* of a tile; bytes of one; bytes in shared memory from one to the next */
    uint32_t runs, run;             /* of a tile, rows of a load; bytes of one */
    uint64_t in, out;               /* bytes in the arrays from a load to the next, from a run to the next */
    struct wl_divisor vectors;      /* whole sectors' of a run, at most */
    uint32_t next_run, next_vector; /* by so much all threads go on together */
    uint32_t barrier;               /* where it lies in shared memory */
};

#endif
