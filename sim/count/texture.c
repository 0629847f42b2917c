/* Textures: the distinct sectors of all the texels that a fetch's lanes want. */
#include "sim/count/lane_set.h"
#include "sim/count/rules.h"

enum { PLACES = 512, SHIFT = 64 - 9 };

/* Distinct values of address >> shift over all corners: a table at most half full. */
static unsigned distinct(const struct count_texels *texels, unsigned shift) {
    uint64_t keys[PLACES], used[PLACES / 64] = {0};
    unsigned count = 0;
    for (unsigned c = 0; c < texels->corners; c++)
        for (uint32_t mask = texels->mask[c]; mask; mask &= mask - 1) {
            uint64_t key = texels->address[c][__builtin_ctz(mask)] >> shift;
            unsigned place = (unsigned)(key * 0x9e3779b97f4a7c15u >> SHIFT);
            while (used[place / 64] >> place % 64 & 1 && keys[place] != key)
                place = (place + 1) % PLACES;
            if (used[place / 64] >> place % 64 & 1)
                continue;
            used[place / 64] |= 1ull << place % 64;
            keys[place] = key;
            count++;
        }
    return count;
}

struct count_result count_texture(const struct count_texels *texels) {
    unsigned sectors, starts, width = (unsigned)__builtin_ctz(texels->width);
    if (texels->corners == 1) {
        sectors = lane_set_count(texels->address[0], texels->mask[0], 5);
        starts = lane_set_count(texels->address[0], texels->mask[0], width);
    } else {
        sectors = distinct(texels, 5);
        starts = distinct(texels, width);
    }
    return (struct count_result){.transactions = sectors,
                                 .moved_bytes = sectors * COUNT_SECTOR,
                                 .useful_bytes = starts * texels->width};
}
