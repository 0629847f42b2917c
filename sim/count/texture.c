/* Textures: lanes go to the texture unit in groups.  A group has 8 lanes for integer coordinates (4 if a
 * texel has 16 bytes) and 4 for others.  A group with an active lane is one request, and costs its texels'
 * distinct sectors. */
#include "sim/count/lane_set.h"
#include "sim/count/rules.h"

/* At most 32 texels: 8 lanes of one corner, or 4 of 8. */
static unsigned sectors(const struct count_texels *texels, uint32_t group) {
    struct lane_set set = {.used = 0};
    bool fresh;
    for (unsigned c = 0; c < texels->corners; c++)
        for (uint32_t mask = texels->mask[c] & group; mask; mask &= mask - 1)
            lane_set_add(&set, texels->address[c][__builtin_ctz(mask)] / COUNT_SECTOR, &fresh);
    return (unsigned)__builtin_popcountll(set.used);
}

struct count_texture_result count_texture(const struct count_texels *texels) {
    struct count_texture_result result = {0, 0};
    for (unsigned first = 0; first < COUNT_WARP; first += texels->lanes) {
        uint32_t group = count_group(first, texels->lanes);
        result.requests += (texels->active & group) != 0;
        result.transactions += sectors(texels, group);
    }
    return result;
}
