/* Executes plans of permutations in plain C as the kernels do.  The calling test fails if an access is
 * outside the arrays or the tile's memory, or misaligned, or if an element is not in its place afterwards. */
#ifndef WIDELOAD_TESTS_PERMUTE_MACHINE_H
#define WIDELOAD_TESTS_PERMUTE_MACHINE_H

#include "lib/permute/permute_bulk.h"
#include "lib/permute/permute_plan.h"

struct problem {
    unsigned width, rank;
    uint64_t sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
};

uint64_t elements_of(const struct problem *p);
/* Its width, sizes and order, for messages. */
void describe(char *text, size_t bytes, const struct problem *p);

/* Through registers, by asynchronous loads, and by bulk copies. */
void carry_out_tiles(const struct problem *p, const struct wl__permute_plan *plan);
void carry_out_async(const struct problem *p, const struct wl__permute_plan *plan);
void carry_out_bulk(const struct problem *p, const struct wl__permute_bulk_plan *plan);

#endif
