/* The table behind sim_op_find: rows as the ops_*.h lists make them.
 *
 * A row's pattern stands for many mnemonics: {a|b} is one of its alternatives, [x] is {|x}, and both
 * nest: "add{|.rn}[.ftz].f32" is four.  The rounding, .ftz and .sat of each are read from its words, and so
 * are the types of a cvt, which go to small (the source's) and count (the destination's) too.
 */
#ifndef WIDELOAD_SIM_LANES_ROWS_H
#define WIDELOAD_SIM_LANES_ROWS_H

#include "sim/exec/lanes/lanes.h"

/* Flags of a row, above those of enum sim_op_flags. */
enum sim_row_flags {
    SIM_ROW_FALLBACK = 0x100, /* its mnemonics that an earlier row has are that row's, and no mistake */
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

/* The small of a comparison: how its mask becomes a result. */
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

/* A half comparison's number, from its name ("ltu"): what the compare rows want in count. */
unsigned sim_relation_find(const char *name);

/* How many mnemonics two rows claim that are no fallbacks: 0, or the lists are wrong.  For tests. */
unsigned sim_op_duplicates(void);

#endif
