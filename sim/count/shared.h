/* Shared memory's rules that counting (shared.c) and drawing (split.c) have in common; private to sim/count.
 */
#ifndef WIDELOAD_SIM_COUNT_SHARED_H
#define WIDELOAD_SIM_COUNT_SHARED_H

#include "sim/count/rules.h"

enum { COUNT_WAVEFRONT = 128, COUNT_MAX_COLUMNS = 32 };

/* Whether every lane that has a neighbour at this distance, 1 or 2, reads the same as it. */
static inline bool count_lanes_agree(const uint64_t *address, uint32_t mask, unsigned distance) {
    /* The lower lane of each pair whose lanes both take part. */
    uint32_t lower = mask & mask >> distance & (distance == 1 ? 0x55555555u : 0x33333333u);
    for (; lower; lower &= lower - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lower);
        if (address[lane] != address[lane + distance])
            return false;
    }
    return true;
}

/* Bytes per column of banks. */
static inline unsigned count_shared_unit(const struct count_access *access) {
    return access->width < 4 ? 4 : access->width;
}

/* Lanes that update the same word are served one after another.  Loads and stores of one word are merged,
 * and so are increments of it, which the hardware counts in one operation (ATOMS.POPC.INC). */
static inline bool count_shares_words(const struct count_access *access) {
    return access->kind == COUNT_LOAD || access->kind == COUNT_STORE || access->increment;
}

/* Lanes per group. */
static inline unsigned count_shared_lanes(const struct count_rules *rules,
                                          const struct count_access *access) {
    unsigned lanes = COUNT_WAVEFRONT / count_shared_unit(access);
    if (lanes < COUNT_WARP && access->kind == COUNT_LOAD && rules->shared_pairs &&
        (count_lanes_agree(access->address, access->mask, 1) ||
         count_lanes_agree(access->address, access->mask, 2)))
        lanes *= 2;
    return lanes;
}

#endif
