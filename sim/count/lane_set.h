/* A set of at most 32 keys, one per lane: counts distinct blocks without comparing every pair of lanes.
 * It uses open addressing over 64 places; being at most half full, it keeps probes short.  Only `used` needs
 * clearing.  A key keeps its place number, so callers can index their own arrays by it.
 */
#ifndef WIDELOAD_SIM_COUNT_LANE_SET_H
#define WIDELOAD_SIM_COUNT_LANE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { LANE_SET_PLACES = 64 };

struct lane_set {
    uint64_t used; /* bit p: place p holds a key */
    uint64_t key[LANE_SET_PLACES];
};

/* Returns the key's place; *fresh says whether this call added it. */
static inline unsigned lane_set_add(struct lane_set *set, uint64_t key, bool *fresh) {
    /* Fibonacci hashing spreads strided keys evenly, and most accesses are strided. */
    unsigned place = (unsigned)(key * 0x9e3779b97f4a7c15u >> 58);
    while (set->used >> place & 1) {
        if (set->key[place] == key) {
            *fresh = false;
            return place;
        }
        place = (place + 1) % LANE_SET_PLACES;
    }
    set->used |= 1ull << place;
    set->key[place] = key;
    *fresh = true;
    return place;
}

/* Whether addresses never decrease from one lane of mask to the next.  Usually they do not; a value is then
 * new exactly if it differs from the one before, and no set is needed. */
static inline bool lanes_climb(const uint64_t address[static 32], uint32_t mask) {
    uint64_t last = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t a = address[__builtin_ctz(mask)];
        if (a < last)
            return false;
        last = a;
    }
    return true;
}

/* The number of distinct values of address >> shift over the lanes of mask, which may be 0. */
static inline unsigned lane_set_count(const uint64_t address[static 32], uint32_t mask, unsigned shift) {
    if (!mask)
        return 0;
    if (lanes_climb(address, mask)) {
        uint64_t last = address[__builtin_ctz(mask)] >> shift;
        unsigned count = 1;
        while (mask &= mask - 1) {
            uint64_t key = address[__builtin_ctz(mask)] >> shift;
            count += key != last;
            last = key;
        }
        return count;
    }

    struct lane_set set;
    bool fresh;
    set.used = 0;
    for (; mask; mask &= mask - 1)
        lane_set_add(&set, address[__builtin_ctz(mask)] >> shift, &fresh);
    return (unsigned)__builtin_popcountll(set.used);
}

#endif
