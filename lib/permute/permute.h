/* What the host tells the permuting kernels: plain C that both sides include.  All of it travels in the
 * launch's parameters, so there are no tables in device memory.
 *
 * A tile is a box of the array: some extent of some dimensions.  A block moves one tile.  It visits the
 * elements twice, by loads in the input's order and by stores in the output's.  Each visit is a `side`: the
 * block's threads cover the first dimensions of the tile, and passes cover the rest.  A pass has the same
 * distance from the first pass in every thread, so a thread computes its first place and finds the others by
 * adding constants.
 *
 * An access is 16 bytes.  Where rows do not begin at multiples of 16 bytes, it is shifted down to such a
 * multiple: one more access then covers a row of `length` elements, and only some elements of the first and
 * the last one count. */
#ifndef WIDELOAD_KERNELS_PERMUTE_H
#define WIDELOAD_KERNELS_PERMUTE_H

#include <stdint.h>

#include "lib/cuda/divisor.h"

#define WL_PERMUTE_ACCESS 16
#define WL_PERMUTE_DIGITS 16 /* of a tile's number */
#define WL_PERMUTE_PARTS  10 /* of a thread's number */
#define WL_PERMUTE_PASSES 16 /* accesses of a thread to one side of a tile */

/* n / count = umulhi(n, magic) >> shift for n < 2^31; count >= 2, or 1 where a kernel checks for it. */
struct wl_permute_divisor {
    uint32_t count, magic, shift;
};

/* One digit of a tile's number: where it leads in bytes.  The last tile of a dimension is moved back to end
 * with the dimension: tiles overlap there, and write the same values. */
struct wl_permute_digit {
    struct wl_permute_divisor by;
    uint32_t edges;             /* 1: stores at the ends of this dimension are cut there, and only there */
    uint64_t in, out;           /* a step of the digit */
    uint64_t in_back, out_back; /* the last step is shorter by this */
    uint32_t row, row_back;     /* the same in rows, if the digit counts rows of joined dimensions */
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
    uint32_t step;   /* bytes in the tile's memory from one element of an access to the next */
    uint32_t length; /* elements of a shifted row */
    uint32_t whole;  /* accesses that begin before this element of a row are stored whole */
    struct wl_permute_part part[WL_PERMUTE_PARTS];
    uint32_t limit[WL_PERMUTE_PASSES];  /* threads that take part in a pass; 0 past the last pass */
    uint32_t shared[WL_PERMUTE_PASSES]; /* distance of the pass from the first */
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
    /* For tiles that asynchronous loads fill. */
    uint32_t turn;   /* vectors are swizzled by this many bits of their place */
    uint64_t column; /* bytes in the output from one narrow element of a row to the next */
};

/* Tiles that bulk copies fill.  A sector of WL_PERMUTE_SECTOR bytes is the unit that copies are charged in
 * and that stores fill whole. */
#define WL_PERMUTE_SECTOR 32
#define WL_PERMUTE_LINE   128
#define WL_PERMUTE_RANK   8
/* Threads of the kernels that move bytes by words, and narrow elements by look-ups, at most; and a warp's
 * bytes of shared memory in which the first puts columns together. */
#define WL_PERMUTE_WORDS_THREADS  256
#define WL_PERMUTE_NARROW_THREADS 384
#define WL_PERMUTE_STAGE          (4 * 72 * 4 + 32)

/* How blocks begin whose tiles fill all shared memory (permute_turns.cuh). */
#define WL_PERMUTE_BLOCKS 4 /* of the largest tiles that fit a multiprocessor, and that take turns */
struct wl_permute_start {
    uint32_t multiprocessors;
    uint32_t wave; /* blocks that run at once */
    uint32_t wait; /* cycles that a multiprocessor's first blocks begin to load one after the other; or 0 */
};

/* Where a tile lies in both arrays: what a block notes in its shared memory. */
struct wl_permute_place {
    uint64_t in, out;
    uint32_t first, ends; /* the first of its joined rows; see permute.cuh */
};

/* One digit of a row's number in the tile, in the input's order. */
struct wl_permute_row {
    struct wl_permute_divisor by;
    uint32_t inner; /* bytes along a load; 0: each step is a load of its own */
    uint64_t in;    /* bytes in the array */
};

/* One digit of a row's number, where rows follow from a table of loads.  A row's place is its load's number
 * times 2^16, plus the bytes along the load.  From a thread's row to its next one the digit gains `step`, and
 * the place `step` times `place`.  Where the digit wraps, the place also gains `carry`, modulo 2^32: it takes
 * the digit back to 0 and adds one step of the next. */
struct wl_permute_step {
    struct wl_permute_divisor by;
    uint32_t place, step, carry;
};

/* Dimensions of the output that a tile takes as one.  Its rows are numbered through all of them: the digits
 * of a row's number in the array give its place in the input. */
struct wl_permute_joined {
    struct wl_permute_divisor by;
    uint64_t in; /* bytes in the array */
};

/* One digit of a run's number in the tile, in the output's order. */
struct wl_permute_run {
    struct wl_permute_divisor by;
    uint32_t along; /* bytes along a row of the tile */
    uint32_t rows;  /* rows of the tile */
    uint64_t out;   /* bytes in the array */
};

/* A row of a tile is contiguous in the input and has a place of its own in shared memory.  A run is
 * contiguous in the output: it takes one element from each of `turn` rows, then the next element from each.
 * Both are numbered.  The block makes tables by number while its loads are in flight. */
struct wl_permute_bulk {
    struct wl_permute_tiles tiles;
    struct wl_permute_start start;
    uint32_t rows, load;      /* rows of the tile; bytes of a load, which has one row or several */
    uint32_t pitch, swizzle;  /* bytes in shared memory from load to load; extra per 16 bytes' worth */
    uint32_t phase;           /* loads keep their places modulo this many bytes */
    uint32_t turn_pad, turns; /* extra bytes where the first digit of a load's number wraps; most wraps of it
                                 in a tile's joined rows */
    uint32_t row_parts, run_parts, joined_parts;
    uint32_t apart;       /* whether rows that follow each other are loaded by different warps */
    uint32_t joined_rows; /* all joined rows, if stores at tiles' ends are cut, and only there; else 0 */
    uint32_t joined_load; /* bytes from one joined row to the next if the first digit's rows are contiguous,
                             which makes them one load; 0: each is a load of its own */
    struct wl_permute_row row[WL_PERMUTE_RANK];
    struct wl_permute_run run[WL_PERMUTE_RANK];
    struct wl_permute_joined joined[WL_PERMUTE_RANK];
    uint32_t runs, length;          /* runs of the tile; elements per run */
    struct wl_permute_divisor turn; /* rows that a run takes elements from by turns */
    uint32_t lanes; /* lanes of a warp along a run, a power of two; the others take the next runs */
    uint32_t cells; /* accesses by warps */
    struct wl_permute_divisor along;        /* accesses by warps along a run */
    uint32_t run_table, row_table, barrier; /* where these lie in shared memory */
    /* For narrow elements, whose runs are numbered apart from a row's columns.  Columns whose runs begin
     * alike within a sector are of one kind. */
    uint32_t units;                  /* per element */
    uint32_t columns;                /* of a run: along rows, or along another dimension of the loads */
    uint32_t column_in;              /* bytes in shared memory from one column to the next */
    uint64_t column_out;             /* bytes of the output from one column to the next */
    struct wl_permute_divisor inner; /* columns of the input's last dimension; others of a row may follow */
    uint64_t column_skip;            /* extra bytes of the output after so many columns */
    uint32_t alike;                  /* columns after which runs begin alike within a sector */
    uint32_t alike_in, columns_in; /* bytes in shared memory from a column to the next such one, and of all */
    uint64_t alike_out;            /* bytes of the output to the next such one */
    struct wl_permute_divisor span;      /* units of a column's run */
    uint32_t ends;                       /* of a run in all columns */
    uint32_t ends_each;                  /* columns whose ends a warp stores together */
    struct wl_permute_divisor end_parts; /* such parts of a run */
    struct wl_permute_divisor kinds;     /* kinds of columns, in warps */
    uint32_t wraps;                      /* runs continue along the rows */
    uint32_t total;                      /* units of a run, in all columns that it continues in */
    uint32_t odd;                        /* the rows' distance in units modulo 4 if it is odd, else 0 */
    uint32_t quarter;                    /* of a table's loads */
    uint32_t tables; /* of rows' places per turn: one for each unit of 4 bytes that a load may begin with; 1
                        if all runs of a tile begin alike within 4 bytes */
    struct wl_permute_divisor vectors; /* of 16 bytes in a load, if lanes load them one by one; else 0 */
    uint32_t load_table;               /* where loads are noted; 0: they are not, and rows find their own */
    uint32_t loads;                    /* how many */
    uint32_t digits;                   /* of rows' numbers, where there is such a table */
    struct wl_permute_step digit[WL_PERMUTE_RANK + 1];
    uint32_t turn_step, turn_steps; /* a thread's next row lies so many rows further in its turn, and so many
                                       turns */
    uint32_t torn;                  /* whether runs begin or end within sectors */
    uint32_t table;                 /* bytes of a turn's tables of rows' places */
    /* For bytes that are moved by words.  A task is part of a run, of some groups of four columns. */
    uint32_t table_rows;          /* entries of a turn's table */
    uint32_t stage, stage_pitch;  /* where its warps' columns are put together, on the noted loads; words per
                                     column */
    uint32_t two;                 /* whether a lane takes two words of each column */
    uint32_t paired;              /* whether rows, runs along them and tasks begin at multiples of 8 bytes */
    uint32_t step;                /* bytes of a run from one task to the next */
    uint32_t chunk, parts, tasks; /* groups of columns per task; all tasks; those of warps */
    struct wl_permute_divisor chunks, stretches; /* tasks in a run's columns, and along a run */
    /* For groups of columns that are moved by words (permute_groups.cu). */
    uint32_t
        even; /* whether rows, runs along them and columns that are taken begin at multiples of 4 bytes */
    /* For elements of so many bytes that are packed in groups, else 0; with `table_rows` and `stage`. */
    uint32_t element;
    uint32_t before;                  /* entries of a table for what lies before a run; 0: nothing does */
    struct wl_permute_divisor others; /* the same, and those for what lies behind it; */
    uint32_t others_in_all;           /* in all tables */
    uint32_t next_in;                 /* bytes in shared memory to where a run continues along the rows */
};

/* Tiles of rows that stay together, wherever they begin.  Rows that are contiguous in the input are one
 * load.  One row of each load makes a run, which is contiguous in the output. */
struct wl_permute_strips {
    struct wl_permute_tiles tiles;
    struct wl_permute_start start;
    struct wl_divisor row_bytes;
    uint32_t loads, load, pitch; /* per tile; bytes per load; bytes in shared memory from one to the next */
    uint32_t runs, run;          /* per tile, rows per load; bytes per run */
    uint64_t in, out;            /* bytes in the arrays from one load to the next, from one run to the next */
    struct wl_divisor vectors;   /* of whole sectors in a run, at most */
    uint32_t next_run, next_vector; /* the step of all threads together */
    uint32_t barrier;               /* its place in shared memory */
};

/* Matrices that are transposed, and move.  The output has them one after the other; the digits of a cell's
 * number give its place in the input. */
struct wl_permute_matrices {
    struct wl_permute_tiles tiles;
    uint32_t rows, cols;             /* of a matrix in the input */
    uint32_t matrix;                 /* its bytes */
    uint32_t matrices, together;     /* all; per block */
    struct wl_permute_divisor close; /* matrices of a cell, which are contiguous in both arrays */
    uint32_t pitch, phase; /* bytes in shared memory from cell to cell; loads keep their places modulo this */
    uint32_t apart;        /* vectors of the output from a warp's first lanes to the next ones */
    uint32_t by_matrix,
        by_rows;             /* ceil(2^32 / n), n a matrix' elements and rows; the first 0 for one matrix */
    uint32_t table, barrier; /* where these lie in shared memory */
};

#endif
