/* The instructions that only compute: registers in, registers out, each lane by itself, or (shfl, vote,
 * match, redux) across the lanes of one warp.  No memory, no control flow.
 *
 * Each is one line of an ops_*.h: mnemonic, operand types, and the result as a C expression that is both
 * documentation and code.
 */
#ifndef WIDELOAD_SIM_LANES_H
#define WIDELOAD_SIM_LANES_H

#include "sim/exec/insn.h"
#include "sim/ptx/ptx.h"

enum sim_op_flags {
    SIM_OP_SYNC = 1,  /* .sync: the lanes of its member mask must have converged; .member names the source
                         operand with that mask */
    SIM_OP_CARRY = 2, /* reads or writes the carry flags, w->cc */
};

/* in->e of an instruction whose text has no "|q", though its operation may have one.  The handlers of setp,
 * shfl, match and elect check it; any other operation always has its second destination. */
#define SIM_NO_OPERAND (-1)

/* The meaning of an opcode word.  The types decide a slot's width (8 bytes: SIM_64, PRED: SIM_PRED, otherwise
 * SIM_32) and the format of an immediate: an integer for the integer types, an IEEE pattern for the float
 * types (a decimal or 0d literal is converted to f32 if the type is f32). */
struct sim_op {
    const char *mnemonic; /* as matched: "add.rn.ftz.f32" */
    sim_run_fn *body;
    enum ptx_type d, e;       /* destination types, PTX_TYPE_NONE if absent; without "|q" e is unused, and
                                 in->e must be SIM_NO_OPERAND */
    enum ptx_type a, b, c, f; /* source types, in the order of the text */
    struct sim_modifiers mod; /* to be copied to the instruction, like these: */
    uint8_t small, count;
    unsigned flags; /* enum sim_op_flags */
    char member;    /* SIM_OP_SYNC: 'a', 'b', 'c' or 'f' */
};

/* Finds an opcode by its whole text ("setp.lt.and.s32", "cvt.rn.f16.f32", "mad.lo.s32").  Returns false for
 * an unknown instruction; *why, if set, is then a word on the cause.  Thread-safe.
 *
 * The operands have PTX's order: d[|e], a, b, c, f.  mov's vector forms have names of their own, because one
 * text means several things:
 *     "mov.pack.2x32" (d b64 <- a b)      "mov.unpack.2x32" (d, e <- a b64)
 *     "mov.pack.2x16" (d b32 <- a b)      "mov.unpack.2x16" (d, e <- a b32)
 *     "mov.pack.4x16" (d b64 <- a b c f)  "mov.unpack.lo.4x16" (d, e: halves 0, 1)
 *                                         "mov.unpack.hi.4x16" (d, e: halves 2, 3)
 *     "mov.pack.2x8", "mov.pack.4x8" and their unpack forms likewise, for .b8 elements
 * The lowering gives a destination '_' a scratch slot.
 *
 * A register may be wider than the instruction's type, which PTX allows for cvt alone.  The lowering then
 * adds a conversion: a 64-bit register as .u32 source goes through cvt.u32.u64, and a result for a 32-bit
 * register as .s8 or .s16 destination goes through cvt.s32.s8 or .s16.  (An .s8 result is sign-extended to 16
 * bits; an .s16 one is zero-extended to the slot's 32 bits, as 16-bit registers are.) */
bool sim_op_find(const char *mnemonic, struct sim_op *out, const char **why);

/* The number of mnemonics that sim_op_find knows, and the i-th of them: for tests and the docs' list. */
unsigned sim_op_count(void);
const char *sim_op_name(unsigned i);

#endif
