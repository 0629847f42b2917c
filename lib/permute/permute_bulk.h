/* Cuts and lays out the tiles that bulk copies fill.  Pure, as permute_plan.h. */
#ifndef WIDELOAD_LIB_PERMUTE_BULK_H
#define WIDELOAD_LIB_PERMUTE_BULK_H

#include <stdbool.h>

#include "lib/kernels.h"
#include "lib/permute/permute.h"
#include "lib/permute/permute_shape.h"
#include "lib/tuned/tuned.h"

struct wl__permute_bulk_plan {
    struct wl_permute_bulk bulk;
    unsigned unit;                /* bytes that elements are moved by */
    bool narrow;                  /* whether permute_narrow.cu or a kin of it moves them */
    bool words;                   /* bytes that are moved four at a time */
    bool groups;                  /* groups of columns are moved by words */
    bool records;                 /* a tile of records (permute_records.c) */
    unsigned element;             /* bytes of elements that permute_units.cu packs; else 0 */
    double cost;                  /* the estimated cost beyond a copy's, as a share of it */
    unsigned threads, memory;     /* per block */
    unsigned blocks;              /* that fit a multiprocessor */
    unsigned cluster;             /* neighbouring blocks that should run at the same time */
    uint64_t extent[WL_RANK_MAX]; /* of a tile in each dimension */
    uint64_t step[WL_RANK_MAX];   /* from one tile to the next: less if tiles share part of a sector */
};

/* Blocks of so many bytes that fit a multiprocessor, of wide elements and strips.  Numbers between 4 and 8
 * were no better. */
static inline unsigned wl__permute_bulk_blocks(const struct wl__tuned_bulk *tuned, unsigned memory) {
    return memory <= tuned->memory_of_8 ? 8 : WL_PERMUTE_BLOCKS;
}

/* Plans tiles of these extents; false if it cannot.  The shape's last dimension must change places, unless
 * rows have a few dozen bytes: then a row moves as one element, and its extent does not matter.  The output's
 * first `joined` dimensions are taken as one, whose extent is the last of the extents.
 */
bool wl__permute_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                      const struct wl__permute_shape *shape, unsigned joined, const uint64_t *extent,
                      uint64_t to, uint64_t from);

/* Makes the plan of least estimated cost; false if these tiles do not suit.  shifted: other tiles would have
 * rows that begin within 16 bytes. */
bool wl__permute_plan_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                           const struct wl__permute_shape *shape, uint64_t to, uint64_t from, bool shifted);

/* permute_units.c: the kernel that packs elements of so many bytes; WL_KERNEL_COUNT if there is none. */
wl__kernel wl__permute_units_kernel(unsigned element);

/* permute_records.c: plans tiles of records, for elements that are looked up by units of 1, 2 or 4
 * bytes; sets their cost.  False if none costs less than `limit`. */
bool wl__permute_plan_records(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                              const struct wl__permute_shape *shape, unsigned unit, unsigned element,
                              uint64_t to, uint64_t from, double limit);

#endif
