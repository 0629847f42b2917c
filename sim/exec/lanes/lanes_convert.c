#include "sim/exec/lanes/half.h"
#include "sim/exec/lanes/lanes_handlers.h"
#include "sim/exec/lanes/number.h"

static uint32_t to_f16(float x, struct sim_modifiers m) {
    const struct sim_number n = sim_number_read(bits_f32(x), sim_format_of(PTX_TYPE_F32));
    return (uint32_t)sim_number_to_float(n, sim_format_of(PTX_TYPE_F16), m.rounding);
}

static uint32_t to_bf16(float x, struct sim_modifiers m) {
    const struct sim_number n = sim_number_read(bits_f32(x), sim_format_of(PTX_TYPE_F32));
    return (uint32_t)sim_number_to_float(n, sim_format_of(PTX_TYPE_BF16), m.rounding);
}

/* A NaN's low bits are cut off.  .rna uses the NaN as it is, so the result may be an infinity; the other
 * roundings use the canonical NaN. */
static uint32_t to_tf32(float x, struct sim_modifiers m) {
    const struct sim_number n = sim_number_read(bits_f32(x), sim_format_of(PTX_TYPE_F32));
    if (n.kind == SIM_NAN)
        return (m.rounding == SIM_RNA ? bits_f32(x) : SIM_NAN_F32) & ~0x1fffu;
    return (uint32_t)sim_number_to_float(n, sim_format_of(PTX_TYPE_TF32), m.rounding) << 13;
}

static uint32_t relu_f32(uint32_t bits) {
    return bits >> 31 ? 0 : bits;
}

/* e4m3 has no infinity: its largest exponent also has numbers, and only all ones are a NaN.  It is read and
 * written with one more exponent bit, whose bias is 8 more. */
static const struct sim_format e4m3_widened = {5, 3, 9, true}, e5m2 = {5, 2, 8, true};
enum { E4M3_BIAS_MORE = 8, E4M3_NAN = 0x7f, E4M3_MOST = 0x7e, E5M2_MOST = 0x7b };

static uint32_t to_e4m3(float x) {
    struct sim_number n = sim_number_read(bits_f32(x), sim_format_of(PTX_TYPE_F32));
    if (n.kind == SIM_NAN)
        return E4M3_NAN;
    n.exponent -= E4M3_BIAS_MORE;
    const uint32_t bits = (uint32_t)sim_number_to_float(n, e4m3_widened, SIM_RN), magnitude = bits & 0xff;
    return (bits >> 8) << 7 | (magnitude > E4M3_MOST ? E4M3_MOST : magnitude);
}

static uint32_t to_e5m2(float x) {
    const struct sim_number n = sim_number_read(bits_f32(x), sim_format_of(PTX_TYPE_F32));
    const uint32_t bits = (uint32_t)sim_number_to_float(n, e5m2, SIM_RN), magnitude = bits & 0x7f;
    return n.kind == SIM_NAN ? bits : (bits & 0x80) | (magnitude > E5M2_MOST ? E5M2_MOST : magnitude);
}

static uint32_t byte_relu(uint32_t bits) {
    return bits >> 7 ? 0 : bits;
}

static uint32_t f16_of_e4m3(uint32_t bits) {
    if ((bits & 0x7f) == E4M3_NAN)
        return SIM_NAN_F16;
    struct sim_number n = sim_number_read((bits >> 7) << 8 | (bits & 0x7f), e4m3_widened);
    n.exponent += E4M3_BIAS_MORE;
    return (uint32_t)sim_number_to_float(n, sim_format_of(PTX_TYPE_F16), SIM_RN);
}

/* An e5m2 is the upper half of an f16. */
static uint32_t f16_of_e5m2(uint32_t bits) {
    return (bits & 0x7f) > 0x7c ? SIM_NAN_F16 : bits << 8;
}

static uint32_t clamp(int32_t x, int32_t least, int32_t most) {
    return (uint32_t)(x < least ? least : x > most ? most : x);
}

/* Converts a NaN between f64 and another type: keeps the bits that fit, and makes it quiet. */
static uint64_t convert_nan(uint64_t bits, struct sim_format from, struct sim_format to) {
    const uint64_t sign = bits >> (from.width - 1) & 1;
    const uint64_t mantissa = bits & ((UINT64_C(1) << from.mantissa_bits) - 1);
    const int shift = to.mantissa_bits - from.mantissa_bits;
    return sign << (to.width - 1) | ((UINT64_C(2) << to.exponent_bits) - 1) << (to.mantissa_bits - 1) |
           (shift < 0 ? mantissa >> -shift : mantissa << shift);
}

/* Converts one lane between any two types. */
static uint64_t convert(uint64_t bits, struct sim_format from, struct sim_format to, struct sim_modifiers m,
                        bool whole) {
    struct sim_number x = sim_number_read(bits, from);
    const bool from_f32 = from.width == 32 && from.exponent_bits, to_f16 = to.exponent_bits == 5;
    /* For f16 no f32 is flushed: a subnormal is far below f16's least number, but may round up to it. */
    if (m.ftz && from_f32 && !to_f16 && x.kind == SIM_FINITE && x.magnitude >> 23 == 0)
        x.magnitude = 0;
    if (!to.exponent_bits)
        return sim_number_to_integer(x, to, m.rounding, from.width == 64 && from.exponent_bits);
    if (whole)
        x = sim_number_to_whole(x, m.rounding);
    if (m.sat && (x.kind == SIM_NAN || x.negative))
        return 0;
    if (x.kind == SIM_NAN && (from.width == 64 || to.width == 64))
        return convert_nan(m.ftz && from_f32 ? SIM_NAN_F32 : bits, from, to);
    uint64_t result = sim_number_to_float(x, to, m.rounding);
    if (m.sat) {
        const uint64_t one = ((UINT64_C(1) << (to.exponent_bits - 1)) - 1) << to.mantissa_bits;
        result = result > one ? one : result;
    }
    if (m.ftz && to.width == 32 && (result & 0x7f800000) == 0)
        result &= 0x80000000;
    return result;
}

/* Any cvt: small is the source's type, count the destination's. */
static const struct sim_insn *convert_lanes(struct sim_warp *w, const struct sim_insn *in, bool whole) {
    const struct sim_format from = sim_format_of(in->small), to = sim_format_of(in->count);
    const void *a = SIM_SLOT(w, in->a);
    void *d = SIM_SLOT(w, in->d);
    SIM_FOR_LANES
    if (w->mask >> i & 1) {
        const uint64_t bits = from.width == 64 ? ((const uint64_t *)a)[i] : ((const uint32_t *)a)[i];
        uint64_t result = convert(bits, from, to, in->mod, whole);
        if (in->count == PTX_TYPE_S8)
            result = (uint16_t)(int8_t)result;
        if (to.width == 64)
            ((uint64_t *)d)[i] = result;
        else
            ((uint32_t *)d)[i] = (uint32_t)result;
    }
    return in + 1;
}

SIM_HANDLER(convert_any) {
    return convert_lanes(w, in, false);
}

SIM_HANDLER(convert_whole) {
    return convert_lanes(w, in, true);
}

#define CONVERT(pattern)
#define CONVERT_WHOLE(pattern)
#include "sim/exec/lanes/ops_convert.h"

#include "sim/exec/lanes/lanes_list.h"
#undef CONVERT
#undef CONVERT_WHOLE
/* The types are filled in from the words. */
#define SIM_CONVERT_ROW(pattern, run)                                                                        \
    SIM_ROW(pattern, run, NONE, NONE, NONE, NONE, NONE, NONE, .flags = SIM_ROW_FALLBACK)
#define CONVERT(pattern)       SIM_CONVERT_ROW(pattern, convert_any)
#define CONVERT_WHOLE(pattern) SIM_CONVERT_ROW(pattern, convert_whole)

const struct sim_row sim_rows_convert[] = {
#include "sim/exec/lanes/ops_convert.h"
    {.pattern = NULL}};
