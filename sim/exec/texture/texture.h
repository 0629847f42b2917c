/* Textures: a texture object as kernels see it, and the table of handles.
 *
 * Texels are in device memory row by row, also those of CUDA arrays.  Hardware stores arrays in blocks, in an
 * order that is not public.
 *
 * All functions are thread-safe.  As in CUDA, removing an object that a running kernel uses is the caller's
 * error.
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
    uint64_t base;                 /* address of the first texel, a multiple of a texel's size */
    size_t pitch, slice;           /* bytes from row to row, from slice (or layer) to slice */
    uint32_t width, height, depth; /* texels, at least 1; depth: slices or layers */
    uint8_t dimensions;            /* of the coordinates, without the layer: 1, 2, 3 */
    bool layered;
    bool blocked;    /* a CUDA array, which hardware stores in blocks; affects only the counts */
    bool fetch_only; /* linear memory: only integer coordinates, and nothing outside */
    enum sim_texel kind;
    uint8_t bits, channels; /* bits per channel: 8, 16, 32; channels: 1, 2, 4 */
    enum sim_address_mode mode[3];
    bool linear;     /* filtered; otherwise the texel that contains the coordinate */
    bool normalized; /* coordinates are fractions of the size */
    bool as_float;   /* 8- and 16-bit integers are read as fractions of the largest one */
    bool srgb;       /* the first three 8-bit channels are decoded */
    float border[4];
    void *user; /* owned by the driver */
};

static inline unsigned sim_texture_texel_bytes(const struct sim_texture *texture) {
    return texture->bits / 8u * texture->channels;
}

struct sim_textures;

struct sim_textures *sim_textures_create(void); /* NULL on out-of-memory */
void sim_textures_destroy(struct sim_textures *textures);
/* Returns the handle; 0 if out of memory, or if 2^20 objects are live. */
uint64_t sim_textures_add(struct sim_textures *textures, const struct sim_texture *texture);
/* False if there is no such object.  A running kernel may have found it already. */
bool sim_textures_remove(struct sim_textures *textures, uint64_t handle);
/* Makes a removed object's slot available.  Call once, when no running kernel could have found the object. */
void sim_textures_reuse(struct sim_textures *textures, uint64_t handle);
/* NULL if there is no such object; then *destroyed says whether there was one. */
const struct sim_texture *sim_textures_find(const struct sim_textures *textures, uint64_t handle,
                                            bool *destroyed);

#endif
