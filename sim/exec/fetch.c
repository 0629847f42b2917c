/* Coordinates and texels, as the CUDA Programming Guide's appendix on texture fetching has them. */
#include "sim/exec/fetch.h"

#include <math.h>
#include <string.h>

#include "sim/exec/half.h"

/* Whole numbers that any size fits into, far from the ends of int64_t. */
#define FAR 0x1p40

static int64_t modulo(int64_t a, int64_t n) {
    int64_t rest = a % n;
    return rest < 0 ? rest + n : rest;
}

/* Wrapping and mirroring need normalized coordinates; without, both clamp. */
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

struct fetch_axis fetch_place(const struct sim_texture *texture, unsigned axis, uint32_t size,
                              float coordinate, bool filtered) {
    double x = texture->normalized ? (double)coordinate * size : (double)coordinate;
    if (isnan(x))
        x = 0;
    x = x > FAR ? FAR : x < -FAR ? -FAR : x;
    if (!filtered)
        return (struct fetch_axis){.lower = address(texture, axis, (int64_t)floor(x), size)};
    int64_t fixed = (int64_t)floor((x - 0.5) * FETCH_ONE + 0.5);
    int64_t lower = (fixed - modulo(fixed, FETCH_ONE)) / FETCH_ONE;
    return (struct fetch_axis){.lower = address(texture, axis, lower, size),
                               .upper = address(texture, axis, lower + 1, size),
                               .weight = (unsigned)modulo(fixed, FETCH_ONE)};
}

int64_t fetch_place_whole(const struct sim_texture *texture, unsigned axis, uint32_t size,
                          int32_t coordinate) {
    if (texture->fetch_only)
        return coordinate < 0 || (uint32_t)coordinate >= size ? -1 : coordinate;
    return address(texture, axis, coordinate, size);
}

static double decode_srgb(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* A channel as a fraction of the greatest: the least signed one is -1 too. */
static uint32_t fraction(const struct sim_texture *texture, uint32_t word, unsigned channel) {
    if (texture->kind == SIM_TEXEL_UNSIGNED) {
        double value = (double)word / (double)((1u << texture->bits) - 1);
        return bits_f32((float)(texture->srgb && channel < 3 ? decode_srgb(value) : value));
    }
    double value = (double)(int32_t)word / (double)((1u << (texture->bits - 1)) - 1);
    return bits_f32((float)(value < -1 ? -1 : value));
}

void fetch_decode(const struct sim_texture *texture, const void *texel, uint32_t out[4]) {
    const unsigned bytes = texture->bits / 8u;
    const bool is_float = texture->kind == SIM_TEXEL_FLOAT || texture->as_float;
    out[1] = out[2] = 0;
    out[3] = is_float ? bits_f32(1) : 1;
    for (unsigned c = 0; c < texture->channels; c++) {
        uint32_t word = 0;
        memcpy(&word, (const char *)texel + c * bytes, bytes);
        if (texture->kind == SIM_TEXEL_SIGNED && bytes < 4)
            word = bytes == 1 ? (uint32_t)(int8_t)word : (uint32_t)(int16_t)word;
        if (texture->kind == SIM_TEXEL_FLOAT)
            out[c] = bytes == 2 ? bits_f32(f16_value((uint16_t)word)) : word;
        else
            out[c] = texture->as_float && bytes < 4 ? fraction(texture, word, c) : word;
    }
}

void fetch_border(const struct sim_texture *texture, uint32_t out[4]) {
    for (unsigned c = 0; c < 4; c++)
        out[c] = texture->fetch_only ? 0 : bits_f32(texture->border[c]);
}
