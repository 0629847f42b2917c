/* Shared memory: 32 banks of 4 bytes; a wavefront carries one word per bank.
 *
 * A wavefront carries 128 bytes, so 8-byte accesses go in half-warps and 16-byte ones in quarter-warps.  A
 * group of lanes takes as many wavefronts as the most distinct words that it wants of any one bank.  Since
 * accesses are aligned to their width, the banks of a wide access act as one column; there are 128 / width
 * columns.
 *
 * Wide loads have an exception: if every lane of the warp reads the same as its neighbour (lane ^ 1), or as
 * the next but one (lane ^ 2), the answer is half as long and a group has twice as many lanes.  A 16-byte
 * broadcast takes 2 wavefronts, not 4.
 */
#include "sim/count/shared.h"
#include "sim/count/lane_set.h"

struct demand {
    unsigned most;     /* accesses to the busiest column */
    unsigned distinct; /* distinct accesses in all */
};

/* The demand of the lanes of mask, which may be 0.  With share set, lanes that name the same words make one
 * access; otherwise each lane makes its own. */
static struct demand demand(const uint64_t *address, uint32_t mask, unsigned unit_shift, bool share) {
    unsigned columns = COUNT_WAVEFRONT >> unit_shift; /* a power of two */
    uint8_t wanted[COUNT_MAX_COLUMNS] = {0};
    struct demand d = {0, 0};

    if (share && !lanes_climb(address, mask)) {
        struct lane_set set;
        bool fresh;
        set.used = 0;
        for (; mask; mask &= mask - 1) {
            uint64_t unit = address[__builtin_ctz(mask)] >> unit_shift;
            lane_set_add(&set, unit, &fresh);
            wanted[unit & (columns - 1)] += fresh;
            d.distinct += fresh;
        }
    } else {
        uint64_t last = UINT64_MAX; /* matches no unit: unit_shift is at least 2 */
        for (; mask; mask &= mask - 1) {
            uint64_t unit = address[__builtin_ctz(mask)] >> unit_shift;
            bool fresh = !share || unit != last;
            wanted[unit & (columns - 1)] += fresh;
            d.distinct += fresh;
            last = unit;
        }
    }
    for (unsigned column = 0; column < COUNT_MAX_COLUMNS; column++)
        d.most = wanted[column] > d.most ? wanted[column] : d.most;
    return d;
}

static unsigned wavefronts_of(const struct count_access *access, unsigned lanes) {
    unsigned sum = 0;
    for (unsigned first = 0; first < COUNT_WARP; first += lanes)
        sum += demand(access->address, access->mask & count_group(first, lanes),
                      (unsigned)__builtin_ctz(access->width), true)
                   .most;
    return sum;
}

static bool contiguous(const struct count_access *access) {
    const unsigned first = (unsigned)__builtin_ctz(access->mask);
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (access->address[lane] - access->address[first] != (uint64_t)(lane - first) * access->width)
            return false;
    }
    return true;
}

/* No lane's neighbour takes part, and lanes whose next but one does read something else, not contiguously.
 * (Seen in the double-precision merge of tests/corpus: 111 such requests of a launch took 106 wavefronts
 * more.) */
bool count_shared_unsure(const struct count_rules *rules, const struct count_access *access) {
    if (!rules->shared_pairs || access->kind != COUNT_LOAD || access->width < 8 ||
        access->mask & access->mask >> 1 & 0x55555555u ||
        count_lanes_agree(access->address, access->mask, 2) || contiguous(access))
        return false;
    const unsigned lanes = COUNT_WAVEFRONT / access->width;
    return wavefronts_of(access, lanes) != wavefronts_of(access, 2 * lanes);
}

struct count_result count_shared(const struct count_rules *rules, const struct count_access *access) {
    unsigned shift = (unsigned)__builtin_ctz(count_shared_unit(access));
    unsigned lanes = count_shared_lanes(rules, access), wavefronts = 0, addresses = 0;
    bool share = count_shares_words(access);

    for (unsigned first = 0; first < COUNT_WARP; first += lanes) {
        struct demand d = demand(access->address, access->mask & count_group(first, lanes), shift, share);
        wavefronts += access->compare ? 2 * d.most : d.most;
        addresses += d.distinct;
    }
    /* The groups' sum equals the number of distinct addresses only if there is one group of whole words. */
    if (lanes < COUNT_WARP || access->width < 4 || !share)
        addresses = lane_set_count(access->address, access->mask, 0);
    return (struct count_result){
        .transactions = wavefronts,
        .moved_bytes = wavefronts * COUNT_WAVEFRONT,
        .useful_bytes = addresses * access->width,
    };
}
