/* Textures: what a texture object is to a kernel, and the table that its handle leads into.
 *
 * Texels lie in device memory row by row, those of CUDA arrays too: hardware stores arrays in blocks, in an
 * order that is not public.
 *
 * Thread-safety: all calls may come from any thread.  Removing an object that a running kernel fetches
 * through is the caller's error, as in CUDA.
 */
#ifndef WIDELOAD_SIM_TEXTURE_H
#define WIDELOAD_SIM_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_texel { SIM_TEXEL_UNSIGNED, SIM_TEXEL_SIGNED, SIM_TEXEL_FLOAT };

/* CUDA's numbers. */
enum sim_address_mode { SIM_ADDRESS_WRAP, SIM_ADDRESS_CLAMP, SIM_ADDRESS_MIRROR, SIM_ADDRESS_BORDER };

struct sim_texture {
    uint64_t base;                 /* of the first texel, a multiple of a texel's size */
    size_t pitch, slice;           /* bytes from row to row, from slice (or layer) to slice */
    uint32_t width, height, depth; /* texels, at least 1; depth: slices or layers */
    uint8_t dimensions;            /* of the coordinates, without the layer: 1, 2, 3 */
    bool layered;
    bool blocked;    /* a CUDA array, which hardware stores in blocks: this matters to counts alone */
    bool fetch_only; /* linear memory: no coordinates but whole numbers, and nothing past its ends */
    enum sim_texel kind;
    uint8_t bits, channels; /* of a channel: 8, 16, 32; 1, 2, 4 */
    enum sim_address_mode mode[3];
    bool linear;     /* filtered; else the texel that the coordinate falls in */
    bool normalized; /* coordinates are fractions of the size */
    bool as_float;   /* integers of 8 and 16 bits are read as fractions of the greatest one */
    bool srgb;       /* the first three channels of 8 bits are decoded */
    float border[4];
    void *user; /* the driver's own note */
};

static inline unsigned sim_texture_texel_bytes(const struct sim_texture *texture) {
    return texture->bits / 8u * texture->channels;
}

struct sim_textures;

struct sim_textures *sim_textures_create(void); /* NULL: out of memory */
void sim_textures_destroy(struct sim_textures *textures);
/* The handle, which is not 0; 0: out of memory, or 2^20 objects live. */
uint64_t sim_textures_add(struct sim_textures *textures, const struct sim_texture *texture);
/* False when there is no such object.  A kernel that runs may have found it before. */
bool sim_textures_remove(struct sim_textures *textures, uint64_t handle);
/* Once for an object that was removed, when no kernel runs that could have found it: others may have its
 * place. */
void sim_textures_reuse(struct sim_textures *textures, uint64_t handle);
/* NULL when there is no such object; then *destroyed says whether there was one. */
const struct sim_texture *sim_textures_find(const struct sim_textures *textures, uint64_t handle,
                                            bool *destroyed);

#endif
