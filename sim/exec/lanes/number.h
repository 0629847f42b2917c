/* A number taken out of any format, and put into any, rounded once: what cvt needs.  Integers only, so
 * that every rounding is exact and none depends on the processor's state. */
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

/* A floating-point type: how many bits its fields have; 0 exponent bits for an integer type. */
struct sim_format {
    uint8_t exponent_bits, mantissa_bits; /* mantissa without the hidden bit */
    uint8_t width;                        /* bits in all */
    bool is_signed;                       /* integers */
};
struct sim_format sim_format_of(enum ptx_type type);

struct sim_number sim_number_read(uint64_t bits, struct sim_format format);
/* To a floating-point format. */
uint64_t sim_number_to_float(struct sim_number x, struct sim_format format, enum sim_rounding rounding);
/* To an integer, out of range clamped; source_wide: the source was f64, which makes another NaN's result. */
uint64_t sim_number_to_integer(struct sim_number x, struct sim_format format, enum sim_rounding rounding,
                               bool source_wide);
/* To a whole number, still exact. */
struct sim_number sim_number_to_whole(struct sim_number x, enum sim_rounding rounding);

#endif
