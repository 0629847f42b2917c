/* Coordinates and texels, as in the CUDA Programming Guide's appendix on texture fetching. */
#include "sim/exec/texture/fetch.h"

#include <math.h>
#include <string.h>

#include "sim/exec/lanes/half.h"

/* Larger than any size, and far from the ends of int64_t. */
#define FAR 0x1p40

static int64_t modulo(int64_t a, int64_t n) {
    int64_t rest = a % n;
    return rest < 0 ? rest + n : rest;
}

/* Wrapping and mirroring need normalized coordinates; otherwise both clamp. */
static int64_t address(const struct sim_texture *texture, unsigned axis, int64_t at, int64_t size) {
    switch (texture->mode[axis]) {
    case SIM_ADDRESS_BORDER:
        return at < 0 || at >= size ? -1 : at;
    case SIM_ADDRESS_WRAP:
        if (texture->normalized)
            return modulo(at, size);
        break;
    case SIM_ADDRESS_MIRROR:
        if (texture->normalized) {
            at = modulo(at, 2 * size);
            return at < size ? at : 2 * size - 1 - at;
        }
        break;
    case SIM_ADDRESS_CLAMP:
        break;
    }
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* As an H200 does, truncates fractions to 21 bits before they are multiplied by the size. */
static double cut(double fraction) {
    return floor(fraction * 0x1p21) * 0x1p-21;
}

/* Converts a coordinate to texels.  Wrapped and mirrored coordinates are reduced near to the texture; none of
 * them is infinite then. */
static double scale(const struct sim_texture *texture, unsigned axis, uint32_t size, double coordinate) {
    if (isnan(coordinate))
        return 0;
    if (!texture->normalized)
        return coordinate;
    const enum sim_address_mode mode = texture->mode[axis];
    if (mode != SIM_ADDRESS_WRAP && mode != SIM_ADDRESS_MIRROR)
        return fabs(coordinate) < FAR ? cut(coordinate) * size : coordinate;
    if (isinf(coordinate))
        return 0;
    const double below = floor(coordinate), odd = mode == SIM_ADDRESS_MIRROR ? fabs(fmod(below, 2)) : 0;
    return (cut(coordinate - below) + odd) * size;
}

struct fetch_axis fetch_place(const struct sim_texture *texture, unsigned axis, uint32_t size,
                              float coordinate, bool filtered) {
    double x = scale(texture, axis, size, (double)coordinate);
    x = x > FAR ? FAR : x < -FAR ? -FAR : x;
    if (!filtered)
        return (struct fetch_axis){.lower = address(texture, axis, (int64_t)floor(x), size)};
    int64_t fixed = (int64_t)floor((x - 0.5) * FETCH_ONE + 0.5);
    int64_t lower = (fixed - modulo(fixed, FETCH_ONE)) / FETCH_ONE;
    return (struct fetch_axis){.lower = address(texture, axis, lower, size),
                               .upper = address(texture, axis, lower + 1, size),
                               .weight = (unsigned)modulo(fixed, FETCH_ONE)};
}

int64_t fetch_place_whole(uint32_t size, int32_t coordinate) {
    return coordinate < 0 || (uint32_t)coordinate >= size ? -1 : coordinate;
}

static double decode_srgb(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* A channel as a fraction of the maximum; the most negative value gives -1 too. */
static uint32_t fraction(const struct sim_texture *texture, uint32_t word, unsigned channel) {
    if (texture->kind == SIM_TEXEL_UNSIGNED) {
        double value = (double)word / (double)((1u << texture->bits) - 1);
        return bits_f32((float)(texture->srgb && channel < 3 ? decode_srgb(value) : value));
    }
    double value = (double)(int32_t)word / (double)((1u << (texture->bits - 1)) - 1);
    return bits_f32((float)(value < -1 ? -1 : value));
}

/* Converts a half; a NaN keeps its bits. */
static uint32_t widen(uint32_t half) {
    if ((half & 0x7c00) == 0x7c00)
        return (half & 0x8000) << 16 | 0x7f800000 | (half & 0x3ff) << 13;
    return bits_f32(f16_value((uint16_t)half));
}

void fetch_decode(const struct sim_texture *texture, const void *texel, uint32_t out[4]) {
    const unsigned bytes = texture->bits / 8u;
    out[1] = out[2] = out[3] = 0;
    for (unsigned c = 0; c < texture->channels; c++) {
        uint32_t word = 0;
        memcpy(&word, (const char *)texel + c * bytes, bytes);
        if (texture->kind == SIM_TEXEL_SIGNED && bytes < 4)
            word = bytes == 1 ? (uint32_t)(int8_t)word : (uint32_t)(int16_t)word;
        if (texture->kind == SIM_TEXEL_FLOAT)
            out[c] = bytes == 2 ? widen(word) : word;
        else
            out[c] = texture->as_float && bytes < 4 ? fraction(texture, word, c) : word;
    }
}

/* A channel of the border, encoded like a texel's. */
static uint32_t encode(const struct sim_texture *texture, float value) {
    if (texture->kind == SIM_TEXEL_FLOAT)
        return texture->bits == 16 ? f16_nearest(value > 65504    ? 65504
                                                 : value < -65504 ? -65504
                                                                  : value)
                                   : bits_f32(value);
    if (!texture->as_float)
        return bits_f32(value);
    const bool sign = texture->kind == SIM_TEXEL_SIGNED;
    const double greatest = (double)((1u << (texture->bits - sign)) - 1), least = sign ? -1 : 0;
    const double clamped = value > 1 ? 1 : value > least ? (double)value : least;
    return (uint32_t)(int32_t)rint(clamped * greatest);
}

void fetch_border(const struct sim_texture *texture, uint32_t out[4]) {
    uint32_t texel[4] = {0};
    for (unsigned c = 0; c < texture->channels; c++) {
        uint32_t word = encode(texture, texture->border[c]);
        memcpy((char *)texel + c * (texture->bits / 8u), &word, texture->bits / 8u);
    }
    fetch_decode(texture, texel, out);
}
