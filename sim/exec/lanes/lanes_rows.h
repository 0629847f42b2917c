/* The table behind sim_op_find: rows made from the ops_*.h lists.
 *
 * A row's pattern stands for many mnemonics: {a|b} is one of its alternatives, [x] is {|x}, and both nest:
 * "add{|.rn}[.ftz].f32" is four mnemonics.  The rounding, .ftz and .sat are read from each mnemonic's words,
 * as are the types of a cvt, which also go to small (the source's) and count (the destination's).
 */
#ifndef WIDELOAD_SIM_LANES_ROWS_H
#define WIDELOAD_SIM_LANES_ROWS_H

#include "sim/exec/lanes/lanes.h"

/* Flags of a row, beyond enum sim_op_flags. */
enum sim_row_flags {
    SIM_ROW_FALLBACK = 0x100, /* may repeat mnemonics of earlier rows, which then take precedence */
    SIM_ROW_COMPARE = 0x200,  /* setp or set: .and/.or/.xor and the result's form go to small */
};

struct sim_row {
    const char *pattern;
    sim_run_fn *body;
    uint8_t d, e, a, b, c, f; /* enum ptx_type */
    uint8_t small, count;
    uint16_t flags;
    char member;
};

/* The small of a comparison: how its mask becomes the result. */
enum sim_combine { SIM_COMBINE_NONE, SIM_COMBINE_AND, SIM_COMBINE_OR, SIM_COMBINE_XOR };
#define SIM_COMPARE_COMBINE(small) ((small)&3)
#define SIM_COMPARE_FORM(small)    ((small) >> 2)
enum sim_compare_form {
    SIM_FORM_PREDICATE,
    SIM_FORM_INT, /* all ones, or 0 */
    SIM_FORM_F32, /* 1.0, or 0 */
    SIM_FORM_F16,
    SIM_FORM_BF16,
    SIM_FORM_SHORT, /* 0xffff, or 0 */
};

/* Each list ends with a row without a pattern. */
extern const struct sim_row sim_rows_integer[];
extern const struct sim_row sim_rows_carry[];
extern const struct sim_row sim_rows_bits[];
extern const struct sim_row sim_rows_move[];
extern const struct sim_row sim_rows_compare[];
extern const struct sim_row sim_rows_float[];
extern const struct sim_row sim_rows_round[];
extern const struct sim_row sim_rows_approx[];
extern const struct sim_row sim_rows_half[];
extern const struct sim_row sim_rows_convert[];
extern const struct sim_row sim_rows_warp[];

/* The number of a comparison of halves, by its name ("ltu"): the count of compare rows. */
unsigned sim_relation_find(const char *name);

/* The number of mnemonics that two rows claim which are not fallbacks: must be 0.  For tests. */
unsigned sim_op_duplicates(void);

#endif
