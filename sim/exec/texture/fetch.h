/* A texture fetch: the texels and weights for a coordinate, and the values of texels.
 * Private to sim/exec. */
#ifndef WIDELOAD_SIM_FETCH_H
#define WIDELOAD_SIM_FETCH_H

#include "sim/exec/program.h"
#include "sim/exec/texture/texture.h"

enum { FETCH_ONE = 256 }; /* weights are in 256ths */

/* One axis: the indices of the texels, -1 for the border; weight is the upper texel's. */
struct fetch_axis {
    int64_t lower, upper;
    unsigned weight;
};

/* size: texels along the axis.  filtered: between two texels; otherwise upper and weight are 0. */
struct fetch_axis fetch_place(const struct sim_texture *texture, unsigned axis, uint32_t size,
                              float coordinate, bool filtered);
/* For integer coordinates, which are never normalized nor filtered; texels outside are 0. */
int64_t fetch_place_whole(uint32_t size, int32_t coordinate);

/* A texel as returned without filtering: a float's bits, or integers extended to 32 bits. */
void fetch_decode(const struct sim_texture *texture, const void *texel, uint32_t out[4]);
/* The border's texel, as returned. */
void fetch_border(const struct sim_texture *texture, uint32_t out[4]);

/* A texture instruction, apart from its memory operand. */
struct sim_fetch {
    struct sim_memop op; /* registers, site; width is a result's, not a texel's */
    uint8_t dimensions;
    bool layered, whole; /* whole: the coordinates are integers */
    bool gather;         /* tld4 */
    uint8_t component;   /* the component that it gathers */
    int32_t handle, layer, coordinate[3];
};

#endif
