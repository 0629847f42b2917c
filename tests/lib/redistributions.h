/* Redistributions drawn at random, and what is right after one: for tests of wl_redistribute on any devices.
 */
#ifndef WIDELOAD_TESTS_REDISTRIBUTIONS_H
#define WIDELOAD_TESTS_REDISTRIBUTIONS_H

#include "calls.h"

enum { RANKS_MOST = 7 };

struct redistribution {
    unsigned ranks, dimensions;
    size_t element_bytes;
    uint64_t sizes[WL_RANK_MAX];
    wl_box from[RANKS_MOST], to[RANKS_MOST];
};

/* At most so many bytes in the whole array.  The boxes of `from` cover it exactly; those of `to` do so, or
 * are anything.  Some are empty. */
struct redistribution redistribution_draw(struct draw *draw, unsigned ranks, uint64_t bytes);
/* Slabs of rows of a matrix, and of its transpose. */
struct redistribution redistribution_of_matrix(unsigned ranks, size_t element_bytes, uint64_t rows,
                                               uint64_t cols, const uint64_t *from_rows,
                                               const uint64_t *to_rows);

uint64_t box_bytes(const struct redistribution *all, const wl_box *box);
/* The bytes of a box as they lie in memory.  Those of an element depend on the seed and its place in the
 * global array. */
void box_fill(const struct redistribution *all, const wl_box *box, uint64_t seed, unsigned char *out);

#endif
