/* Numbers of any format, converted to any other with one rounding: what cvt needs.  It uses only integers, so
 * every rounding is exact and independent of the processor's state. */
#ifndef WIDELOAD_SIM_NUMBER_H
#define WIDELOAD_SIM_NUMBER_H

#include "sim/exec/insn.h"
#include "sim/ptx/ptx.h"

enum sim_number_kind { SIM_FINITE, SIM_INFINITE, SIM_NAN };

/* (negative ? -1 : 1) * magnitude * 2^exponent.  Zero: magnitude 0, with a sign. */
struct sim_number {
    enum sim_number_kind kind;
    bool negative;
    uint64_t magnitude;
    int exponent;
};

/* A type's field widths in bits; an integer type has 0 exponent bits. */
struct sim_format {
    uint8_t exponent_bits, mantissa_bits; /* mantissa without the hidden bit */
    uint8_t width;                        /* all bits */
    bool is_signed;                       /* integers */
};
struct sim_format sim_format_of(enum ptx_type type);

struct sim_number sim_number_read(uint64_t bits, struct sim_format format);
/* Converts to a floating-point format. */
uint64_t sim_number_to_float(struct sim_number x, struct sim_format format, enum sim_rounding rounding);
/* Converts to an integer, clamped.  source_wide: the source was f64, whose NaN has another result. */
uint64_t sim_number_to_integer(struct sim_number x, struct sim_format format, enum sim_rounding rounding,
                               bool source_wide);
/* Rounds to a whole number, which is still exact. */
struct sim_number sim_number_to_whole(struct sim_number x, enum sim_rounding rounding);

#endif
