#include "sim/exec/lanes/number.h"

struct sim_format sim_format_of(enum ptx_type type) {
    switch (type) {
    case PTX_TYPE_F16:
        return (struct sim_format){5, 10, 16, true};
    case PTX_TYPE_BF16:
        return (struct sim_format){8, 7, 16, true};
    case PTX_TYPE_TF32: /* an f32 whose low 13 bits are 0 */
        return (struct sim_format){8, 10, 19, true};
    case PTX_TYPE_F32:
        return (struct sim_format){8, 23, 32, true};
    case PTX_TYPE_F64:
        return (struct sim_format){11, 52, 64, true};
    default:
        return (struct sim_format){0, 0, (uint8_t)(8 * ptx_type_bytes(type)),
                                   type == PTX_TYPE_S8 || type == PTX_TYPE_S16 || type == PTX_TYPE_S32 ||
                                       type == PTX_TYPE_S64};
    }
}

static uint64_t ones(unsigned count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

struct sim_number sim_number_read(uint64_t bits, struct sim_format format) {
    struct sim_number x = {.kind = SIM_FINITE};
    bits &= ones(format.width);
    x.negative = format.is_signed && (bits >> (format.width - 1) & 1);
    if (!format.exponent_bits) {
        x.magnitude = x.negative ? (0 - bits) & ones(format.width) : bits;
        return x;
    }
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int exponent = (int)(bits >> format.mantissa_bits & ones(format.exponent_bits));
    x.magnitude = bits & ones(format.mantissa_bits);
    if (exponent == (int)ones(format.exponent_bits)) {
        x.kind = x.magnitude ? SIM_NAN : SIM_INFINITE;
        return x;
    }
    if (exponent)
        x.magnitude |= UINT64_C(1) << format.mantissa_bits;
    x.exponent = (exponent ? exponent : 1) - bias - format.mantissa_bits;
    return x;
}

/* Rounds magnitude / 2^shift; shift > 0. */
static uint64_t shift_rounded(uint64_t magnitude, int shift, bool negative, enum sim_rounding rounding) {
    /* Beyond 65 bits every value is below a quarter of the last place, so 65 gives the same result. */
    if (shift > 65)
        shift = 65;
    const uint64_t kept = shift > 63 ? 0 : magnitude >> shift;
    const bool half = shift <= 64 && (magnitude >> (shift - 1) & 1);
    const bool rest = (magnitude & ones((unsigned)(shift > 64 ? 64 : shift - 1))) != 0;
    bool up = false;
    switch (rounding) {
    case SIM_RN:
        up = half && (rest || (kept & 1));
        break;
    case SIM_RNA:
        up = half;
        break;
    case SIM_RZ:
        break;
    case SIM_RM:
        up = negative && (half || rest);
        break;
    case SIM_RP:
        up = !negative && (half || rest);
        break;
    }
    return kept + up;
}

uint64_t sim_number_to_float(struct sim_number x, struct sim_format format, enum sim_rounding rounding) {
    const uint64_t sign = x.negative ? UINT64_C(1) << (format.width - 1) : 0;
    const uint64_t infinity = ones(format.exponent_bits) << format.mantissa_bits;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    if (x.kind == SIM_NAN)
        return ones((unsigned)format.width - 1);
    if (x.kind == SIM_INFINITE)
        return sign | infinity;
    if (!x.magnitude)
        return sign;
    /* The exponent of the leading bit, and of the last place that the format keeps. */
    const int leading = 63 - __builtin_clzll(x.magnitude) + x.exponent, least = 1 - bias;
    const int place = (leading > least ? leading : least) - format.mantissa_bits;
    const int shift = place - x.exponent;
    uint64_t bits =
        shift > 0 ? shift_rounded(x.magnitude, shift, x.negative, rounding) : x.magnitude << -shift;
    /* The hidden bit adds one to the exponent field, as does a carry out of the mantissa. */
    if (leading >= least)
        bits += leading > bias ? infinity : (uint64_t)(leading - least) << format.mantissa_bits;
    if (bits >= infinity) {
        const bool away =
            rounding == SIM_RN || rounding == SIM_RNA || rounding == (x.negative ? SIM_RM : SIM_RP);
        bits = away ? infinity : infinity - 1;
    }
    return sign | bits;
}

struct sim_number sim_number_to_whole(struct sim_number x, enum sim_rounding rounding) {
    if (x.kind == SIM_FINITE && x.exponent < 0) {
        x.magnitude = shift_rounded(x.magnitude, -x.exponent, x.negative, rounding);
        x.exponent = 0;
    }
    return x;
}

uint64_t sim_number_to_integer(struct sim_number x, struct sim_format format, enum sim_rounding rounding,
                               bool source_wide) {
    const uint64_t top = UINT64_C(1) << (format.width - 1);
    if (x.kind == SIM_NAN)
        return source_wide || format.width == 64 ? top : 0;
    const uint64_t limit = !format.is_signed ? (x.negative ? 0 : ones(format.width))
                           : x.negative      ? top
                                             : top - 1;
    x = sim_number_to_whole(x, rounding);
    uint64_t magnitude = x.magnitude;
    if (x.kind == SIM_INFINITE)
        magnitude = limit;
    else if (magnitude && x.exponent > 0)
        magnitude = x.exponent > __builtin_clzll(magnitude) ? limit : magnitude << x.exponent;
    if (magnitude > limit)
        magnitude = limit;
    return (x.negative ? 0 - magnitude : magnitude) & ones(format.width);
}
