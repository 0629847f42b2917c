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

#define WL_PERMUTE_ACCESS 16
#define WL_PERMUTE_DIGITS 16 /* of a tile's number */
#define WL_PERMUTE_PARTS  10 /* of a thread's number */
#define WL_PERMUTE_PASSES 8  /* accesses of a thread to one side of a tile */

/* n / count = umulhi(n, magic) >> shift for n < 2^31; count >= 2. */
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
    struct wl_permute_side in, out;
};

#endif
