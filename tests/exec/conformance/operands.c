/* The operands of a case: first every pair of edge values as a and b, with any as c and f; then numbers that
 * are related (equal, opposite, neighbours, a product's negative), everyday, or random bits. */
#include <math.h>
#include <string.h>

#include "tests/exec/conformance/conformance.h"

/* splitmix64: a generator that gives the same numbers everywhere. */
static uint64_t next(uint64_t *state) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static const uint64_t edges_integer[] = {0,
                                         1,
                                         2,
                                         3,
                                         4,
                                         7,
                                         8,
                                         15,
                                         16,
                                         17,
                                         31,
                                         32,
                                         33,
                                         63,
                                         64,
                                         65,
                                         100,
                                         255,
                                         256,
                                         0x3f00,
                                         0x7f,
                                         0x80,
                                         0x7fff,
                                         0x8000,
                                         0xffff,
                                         0x10000,
                                         0x7fffff,
                                         0x1000000,
                                         0x1000001,
                                         0x7fffffff,
                                         0x80000000,
                                         0x80000001,
                                         0xffffff80,
                                         0xffff8000,
                                         0x55555555,
                                         0xaaaaaaaa,
                                         0xfffffffe,
                                         0xffffffff,
                                         0x100000000,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0x8000000000000001,
                                         0x5555555555555555,
                                         0xaaaaaaaaaaaaaaaa,
                                         0xffffffff00000000,
                                         0xffffffff80000000,
                                         0xffffffffffffffff};

static const uint64_t edges_f64[] = {0,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x0010000000000001,
                                     0x3ff0000000000000,
                                     0x3ff0000000000001,
                                     0x3fefffffffffffff,
                                     0x3fe0000000000000,
                                     0x3ff8000000000000,
                                     0x4004000000000000,
                                     0x400921fb54442d18,
                                     0x36a0000000000000,
                                     0x380fffffffffffff,
                                     0x3810000000000000,
                                     0x3690000000000000, /* near f32's least */
                                     0x47efffffe0000000,
                                     0x47effffff0000000,
                                     0x47efffffefffffff, /* near its largest */
                                     0x3ff0000010000000,
                                     0x3ff0000030000000,
                                     0x3ff0000010000001, /* half an ulp of f32 */
                                     0x41dfffffffc00000,
                                     0x41e0000000000000,
                                     0x41efffffffe00000,
                                     0x41f0000000000000,
                                     0x43e0000000000000,
                                     0x43f0000000000000,
                                     0x4330000000000001,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff8000000001234,
                                     0x7ff0000000000001,
                                     0x8000000000000000,
                                     0x8000000000000001,
                                     0xbff0000000000000,
                                     0xbfe0000000000000,
                                     0xc004000000000000,
                                     0xc1e0000000000000,
                                     0xc3e0000000000000,
                                     0xffefffffffffffff,
                                     0xfff0000000000000,
                                     0xfff8000000000000,
                                     0xfff4567890abcdef};

static const uint64_t edges_f32[] = {
    0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0x3f800001,
    0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0x40490fdb, 0x33000000, 0x33000001,
    0x33800000, 0x387fe000,                                                 /* near f16's least values */
    0x477fe000, 0x477fefff, 0x477ff000, 0x3f801000, 0x3f803000, 0x3f801001, /* its largest, half its ulp */
    0x3f808000, 0x3f818000, 0x3f808001, 0x7f7f8000, 0x3f801fff,             /* the same for bf16, tf32 */
    0x4b7fffff, 0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5f000000,
    0x7e800001, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7fc12345, 0x7f800001, 0x80000000,
    0x80000001, 0x807fffff, 0x80800000, 0xbf800000, 0xbf000000, 0xc0200000, 0xc3000000,
    0xcf000000, 0xcf000001, 0xdf000000, 0xff7fffff, 0xff800000, 0xffc00000, 0xffa54321};

static const uint64_t edges_f16[] = {0,      1,      2,      0x03ff, 0x0400, 0x0401, 0x3c00, 0x3c01, 0x3bff,
                                     0x3800, 0x3e00, 0x4100, 0x4248, 0x1400, 0x5bff, 0x5c00, 0x6400, 0x7800,
                                     0x7bff, 0x7c00, 0x7e00, 0x7e12, 0x7c01, 0x8000, 0x8001, 0x83ff, 0x8400,
                                     0xbc00, 0xb800, 0xc100, 0xd800, 0xf800, 0xfbff, 0xfc00, 0xfe00, 0xfd55};

static const uint64_t edges_bf16[] = {
    0,      1,      2,      0x007f, 0x0080, 0x0081, 0x3f80, 0x3f81, 0x3f7f, 0x3f00, 0x3fc0, 0x4020, 0x4049,
    0x3300, 0x3380, 0x437f, 0x4380, 0x4f00, 0x7f00, 0x7f7f, 0x7f80, 0x7fc0, 0x7fc1, 0x7f81, 0x8000, 0x8001,
    0x807f, 0x8080, 0xbf80, 0xbf00, 0xc020, 0xc300, 0xff00, 0xff7f, 0xff80, 0xffc0, 0xff95};

struct edges {
    const uint64_t *values;
    size_t count;
    unsigned exponent; /* exponent bits of a float; 0: an integer */
    unsigned mantissa;
};

#define EDGES(table, ...) ((struct edges){table, sizeof table / sizeof *table, __VA_ARGS__})

static struct edges edges_of(enum ptx_type type) {
    switch (type) {
    case PTX_TYPE_F64:
        return EDGES(edges_f64, 11, 52);
    case PTX_TYPE_F32:
    case PTX_TYPE_TF32:
        return EDGES(edges_f32, 8, 23);
    case PTX_TYPE_F16:
    case PTX_TYPE_F16X2:
        return EDGES(edges_f16, 5, 10);
    case PTX_TYPE_BF16:
    case PTX_TYPE_BF16X2:
        return EDGES(edges_bf16, 8, 7);
    default:
        return EDGES(edges_integer, 0, 0);
    }
}

unsigned value_bytes(enum ptx_type type) {
    return type == PTX_TYPE_PRED ? 1 : ptx_type_bytes(type);
}

static uint64_t cut(uint64_t bits, unsigned size) {
    return size < 64 ? bits & ((UINT64_C(1) << size) - 1) : bits;
}

/* A whole number or a simple fraction, of either sign. */
static uint64_t everyday(struct edges e, uint64_t r) {
    if (!e.exponent)
        return r & 1 ? (uint64_t)((int64_t)(r >> 1) % 80) : (uint64_t) - (int64_t)((r >> 1) % 20000);
    const unsigned size = 1 + e.exponent + e.mantissa, bias = (1u << (e.exponent - 1)) - 1;
    const uint64_t exponent = bias - 4 + (r >> 8) % 10;
    const uint64_t mantissa = (r >> 16 & 0xf) << (e.mantissa - 4);
    return (r & 1) << (size - 1) | exponent << e.mantissa | mantissa;
}

/* A float near one, of either sign, with random last bits. */
static uint64_t near_one(struct edges e, uint64_t r) {
    if (!e.exponent)
        return r >> (r & 63);
    const unsigned size = 1 + e.exponent + e.mantissa, bias = (1u << (e.exponent - 1)) - 1;
    const uint64_t exponent = bias - 12 + (r >> 52) % 24;
    return (r >> 63) << (size - 1) | exponent << e.mantissa | cut(r, e.mantissa);
}

/* -(a * b), as a c that leaves a fused product's last bits; only for f32 and f64. */
static uint64_t minus_product(enum ptx_type type, uint64_t a, uint64_t b) {
    if (type == PTX_TYPE_F64) {
        double x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x = -(x * y);
        memcpy(&a, &x, sizeof a);
        return x == x ? a : 0;
    }
    const uint32_t low[2] = {(uint32_t)a, (uint32_t)b};
    float x[2];
    memcpy(x, low, sizeof x);
    x[0] = -(x[0] * x[1]);
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return x[0] == x[0] ? bits : 0;
}

/* A 16-, 32- or 64-bit piece of operand k in tuple i; before: the piece of the first operand. */
static uint64_t piece(enum ptx_type type, unsigned k, size_t i, uint64_t *state, const uint64_t *before) {
    const struct edges e = edges_of(type);
    const uint64_t r = next(state);
    if (i < e.count * e.count)
        return e.values[k == 0 ? i % e.count : k == 1 ? i / e.count : r % e.count];
    const unsigned size = e.exponent ? 1 + e.exponent + e.mantissa : 64;
    switch (i % 8) {
    case 0:
    case 1:
        return r;
    case 2: /* equal, or opposite */
        return k == 0 ? r : e.exponent ? before[0] ^ (r & 1) << (size - 1) : r & 1 ? before[0] : -before[0];
    case 3: /* neighbours */
        return k == 0 ? near_one(e, r) : before[0] + r % 5 - 2;
    case 4:
        return everyday(e, r);
    case 5: /* a product's remainder */
        return k < 2                                          ? near_one(e, r)
               : type == PTX_TYPE_F32 || type == PTX_TYPE_F64 ? minus_product(type, before[0], before[1])
                                                              : near_one(e, r);
    case 6:
        return near_one(e, r);
    default: /* an edge and random bits */
        return r & 1 ? e.values[(r >> 1) % e.count] : r >> 1;
    }
}

static bool is_pair(enum ptx_type type) {
    return type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2;
}

static void fill_plain(const struct conformance_case *one, struct operands *out) {
    uint64_t state = 1;
    for (size_t i = 0; i < TUPLES; i++) {
        uint64_t low[SOURCES], high[SOURCES];
        for (unsigned k = 0; k < SOURCES; k++) {
            const enum ptx_type type = one->source[k];
            low[k] = piece(type, k, i, &state, low);
            high[k] = piece(type, k, (i * 5 + 2049) % TUPLES, &state, high);
            out->bits[k][i] = is_pair(type) ? cut(low[k], 16) | cut(high[k], 16) << 16 : low[k];
        }
    }
}

/* Operands across lanes.  The member masks name lanes of the warp that all execute: all lanes or, for tiles,
 * aligned groups of 1 to 16 lanes. */
static void fill_warp(const struct conformance_case *one, struct operands *out) {
    uint64_t state = 2;
    for (size_t i = 0; i < TUPLES; i++) {
        const unsigned lane = i % 32, warp = (unsigned)(i / 32);
        const unsigned width = one->values == VALUES_TILES ? 1u << warp % 5 : 32;
        const uint32_t members = (uint32_t)(((UINT64_C(1) << width) - 1) << lane / width * width);
        uint64_t r = next(&state), common = warp * UINT64_C(0x9e3779b97f4a7c15);
        common = next(&common);
        /* by warp: random bits, few values, all equal, all equal but one */
        uint64_t value = warp % 4 == 0 ? r : warp % 4 == 1 ? r % 3 : common;
        if (warp % 4 == 3 && lane == common % 32)
            value ^= UINT64_C(1) << (r & 63);
        if (one->source[0] == PTX_TYPE_PRED)
            value = warp % 8 < 2    ? r & 1
                    : warp % 8 == 2 ? 0
                    : warp % 8 == 3 ? 1
                                    : (warp & 1) ^ (lane == common % 32);
        for (unsigned k = 0; k < SOURCES; k++)
            out->bits[k][i] = 0;
        out->bits[0][i] = one->source[1] == PTX_TYPE_NONE ? members : value;
        out->bits[1][i] = members;
        if (one->values == VALUES_SHUFFLE) {
            const unsigned segment = 32 - (1u << warp / 4 % 6); /* the lane bits that do not change */
            out->bits[0][i] = r;
            out->bits[1][i] = warp % 2 ? warp / 2 % 40 : r >> 32;
            out->bits[2][i] = segment << 8 | (strstr(one->name, ".up.") ? 0 : 31);
            if (warp >= 96) /* any clamp and any segment, for all lanes or for each */
                out->bits[2][i] = (warp & 1 ? r >> 16 : common) & 0x1f1f;
            out->bits[3][i] = UINT32_MAX;
        }
    }
}

void operands_fill(const struct conformance_case *one, struct operands *out) {
    if (one->values == VALUES_PLAIN || one->values == VALUES_SIZE)
        fill_plain(one, out);
    else
        fill_warp(one, out);
    uint64_t state = 3;
    for (unsigned k = 0; k < SOURCES; k++)
        for (size_t i = 0; i < TUPLES; i++) {
            const unsigned bits = 8 * value_bytes(one->source[k]);
            uint64_t value = cut(out->bits[k][i], one->source[k] == PTX_TYPE_PRED ? 1 : bits);
            /* Register bits above the type must not matter. */
            if (one->source[k] != PTX_TYPE_PRED && (bits == 8 || (k == 0 && one->wide_source)))
                value |= next(&state) << bits;
            out->bits[k][i] = one->source[k] == PTX_TYPE_NONE ? 0 : value;
        }
    if (one->values == VALUES_SIZE) /* number of bytes that cp.async reads */
        for (size_t i = 0; i < TUPLES; i++)
            out->bits[1][i] %= 17;
}
