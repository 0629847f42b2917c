/* How a request is split into transactions, for those who draw it.  Nothing here is called where the
 * simulator counts. */
#include "sim/count/shared.h"

struct count_split count_split_global(const struct count_rules *rules, const struct count_access *access) {
    if (access->kind == COUNT_ATOM || access->kind == COUNT_RED)
        return (struct count_split){COUNT_WARP, COUNT_SECTOR};
    const struct count_path *path = count_path_of(rules, access);
    return (struct count_split){path->lanes[count_width_class(access->width)], path->block};
}

struct count_split count_split_shared(const struct count_rules *rules, const struct count_access *access) {
    return (struct count_split){count_shared_lanes(rules, access), COUNT_WAVEFRONT};
}

struct count_split count_split_local(const struct count_rules *rules, const struct count_access *access) {
    (void)access;
    return (struct count_split){rules->local_block / 4, rules->local_block};
}

/* An earlier lane of `group` with the same unit, or -1. */
static int partner(const uint64_t *address, uint32_t group, unsigned lane, unsigned shift) {
    for (uint32_t left = group & ((1u << lane) - 1); left; left &= left - 1)
        if (address[__builtin_ctz(left)] >> shift == address[lane] >> shift)
            return __builtin_ctz(left);
    return -1;
}

/* Sets the wavefronts of one group's lanes, from `before` up, and returns how many there are. */
static unsigned serve_group(const struct count_access *access, uint32_t group, unsigned before,
                            uint8_t wavefront[static 32]) {
    const unsigned shift = (unsigned)__builtin_ctz(count_shared_unit(access)), turn = access->compare ? 2 : 1;
    const bool shares = count_shares_words(access);
    uint8_t wanted[COUNT_MAX_COLUMNS] = {0};
    unsigned most = 0;
    for (uint32_t left = group; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const int with = shares ? partner(access->address, group, lane, shift) : -1;
        if (with >= 0) {
            wavefront[lane] = wavefront[with];
            continue;
        }
        const unsigned column = (unsigned)(access->address[lane] >> shift) & ((COUNT_WAVEFRONT >> shift) - 1);
        wavefront[lane] = (uint8_t)(before + turn * wanted[column]++);
        most = wanted[column] > most ? wanted[column] : most;
    }
    return turn * most;
}

void count_shared_wavefronts(const struct count_rules *rules, const struct count_access *access,
                             uint8_t wavefront[static 32]) {
    const unsigned lanes = count_shared_lanes(rules, access);
    unsigned before = 0;
    for (unsigned first = 0; first < COUNT_WARP; first += lanes)
        before += serve_group(access, access->mask & count_group(first, lanes), before, wavefront);
}
