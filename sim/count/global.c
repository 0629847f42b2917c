/* Global memory: distinct blocks.
 *
 * A lane's address is a multiple of its width, which is at most 16 bytes.  So no lane straddles two blocks,
 * and two lanes touch either the same bytes or disjoint ones: the number of distinct bytes is the number of
 * distinct addresses times the width.
 */
#include "sim/count/lane_set.h"
#include "sim/count/rules.h"

#include <string.h>

struct footprint {
    unsigned blocks;
    unsigned addresses;
};

/* Lanes in any order: each place of the set is a block, with a mask of the bytes at which accesses start. */
static struct footprint footprint_unordered(const uint64_t *address, uint32_t mask, unsigned shift) {
    struct lane_set set;
    uint64_t starts[LANE_SET_PLACES][2];
    unsigned addresses = 0;

    set.used = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t a = address[__builtin_ctz(mask)];
        bool fresh;
        unsigned place = lane_set_add(&set, a >> shift, &fresh);
        if (fresh)
            starts[place][0] = starts[place][1] = 0;
        unsigned offset = (unsigned)(a & ((1u << shift) - 1));
        uint64_t *word = &starts[place][offset / 64], bit = 1ull << offset % 64;
        addresses += !(*word & bit);
        *word |= bit;
    }
    return (struct footprint){(unsigned)__builtin_popcountll(set.used), addresses};
}

static struct footprint footprint(const uint64_t *address, uint32_t mask, unsigned shift) {
    struct footprint f = {1, 1};
    uint64_t last = address[__builtin_ctz(mask)];

    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        uint64_t a = address[__builtin_ctz(rest)];
        if (a < last)
            return footprint_unordered(address, mask, shift);
        f.addresses += a != last;
        f.blocks += a >> shift != last >> shift;
        last = a;
    }
    return f;
}

/* Atomics: lanes that name the same word are served one after another, and each costs the sectors that it
 * touches.  So a sector is paid for as often as its most contended word is named. */
static struct footprint atomic_footprint(const uint64_t *address, uint32_t mask) {
    struct lane_set set;
    uint8_t most[LANE_SET_PLACES], named[LANE_SET_PLACES][COUNT_SECTOR]; /* by a word's first byte */
    struct footprint f = {0, 0};

    set.used = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t a = address[__builtin_ctz(mask)];
        bool fresh;
        unsigned place = lane_set_add(&set, a / COUNT_SECTOR, &fresh);
        if (fresh) {
            most[place] = 0;
            memset(named[place], 0, sizeof named[place]);
        }
        uint8_t times = ++named[place][a % COUNT_SECTOR];
        f.addresses += times == 1;
        if (times > most[place]) {
            most[place] = times;
            f.blocks++;
        }
    }
    return f;
}

struct count_result count_global(const struct count_rules *rules, const struct count_access *access) {
    const struct count_path *path = count_path_of(rules, access);
    unsigned shift = path->block == COUNT_LINE ? 7 : 5, block = path->block;
    unsigned lanes = path->lanes[count_width_class(access->width)];
    struct footprint all;

    if (access->kind == COUNT_ATOM || access->kind == COUNT_RED) {
        all = atomic_footprint(access->address, access->mask);
        block = COUNT_SECTOR;
    } else {
        all = footprint(access->address, access->mask, shift);
        if (lanes < COUNT_WARP) {
            all.blocks = 0;
            for (unsigned first = 0; first < COUNT_WARP; first += lanes)
                all.blocks +=
                    lane_set_count(access->address, access->mask & count_group(first, lanes), shift);
        }
    }
    return (struct count_result){
        .transactions = all.blocks,
        .moved_bytes = all.blocks * block,
        .useful_bytes = all.addresses * access->width,
    };
}
