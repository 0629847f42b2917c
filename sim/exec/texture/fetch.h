/* A texture fetch: which texels a coordinate names and with what weights, and what a texel's bytes mean.
 * Private to sim/exec. */
#ifndef WIDELOAD_SIM_FETCH_H
#define WIDELOAD_SIM_FETCH_H

#include "sim/exec/program.h"
#include "sim/exec/texture/texture.h"

enum { FETCH_ONE = 256 }; /* weights are in 256ths */

/* Along one axis: the texels' numbers, -1 for the border's; weight is the upper one's. */
struct fetch_axis {
    int64_t lower, upper;
    unsigned weight;
};

/* size: texels along it.  filtered: between two texels; else upper and weight are 0. */
struct fetch_axis fetch_place(const struct sim_texture *texture, unsigned axis, uint32_t size,
                              float coordinate, bool filtered);
/* For whole-numbered coordinates, which are never normalized nor filtered; all that lies outside is 0. */
int64_t fetch_place_whole(uint32_t size, int32_t coordinate);

/* A texel as it is returned unfiltered: floats' bits, or integers extended to 32 bits. */
void fetch_decode(const struct sim_texture *texture, const void *texel, uint32_t out[4]);
/* The texel outside, as it is returned. */
void fetch_border(const struct sim_texture *texture, uint32_t out[4]);

/* What a texture instruction does, apart from its memory operand. */
struct sim_fetch {
    struct sim_memop op; /* registers, the site; its width is a result's, not a texel's */
    uint8_t dimensions;
    bool layered, whole; /* whole: the coordinates are integers */
    bool gather;         /* tld4 */
    uint8_t component;   /* that it gathers */
    int32_t handle, layer, coordinate[3];
};

#endif
