/* The instructions that only compute: registers in, registers out, each lane for itself, or (shfl,
 * vote, match, redux) across the lanes of one warp.  No memory, no control flow.
 *
 * Each is one line of an ops_*.h: mnemonic, operand types, and what it computes, as a C expression
 * that is at once documentation and code.
 */
#ifndef WIDELOAD_SIM_LANES_H
#define WIDELOAD_SIM_LANES_H

#include "sim/exec/insn.h"
#include "sim/ptx/ptx.h"

enum sim_op_flags {
    SIM_OP_SYNC = 1,  /* .sync: needs the lanes of its member mask to have converged; .member says which
                         source operand is that mask */
    SIM_OP_CARRY = 2, /* reads or writes the carry flags, w->cc */
};

/* in->e of an instruction whose text has no "|q", though its operation may have one.  The handlers of setp,
 * shfl, match and elect look at it; a second destination of any other is always there. */
#define SIM_NO_OPERAND (-1)

/* What an opcode word means.  The types say how wide a slot is (8 bytes: SIM_64, PRED: SIM_PRED, else
 * SIM_32) and how an immediate is read: an integer for the integer types, an IEEE pattern for the float
 * types (a decimal or 0d literal converted to f32 where the type is f32). */
struct sim_op {
    const char *mnemonic; /* as matched: "add.rn.ftz.f32" */
    sim_run_fn *body;
    enum ptx_type d, e;       /* destination types, PTX_TYPE_NONE where absent; e may stay unused (no "|q"):
                                 then in->e must be SIM_NO_OPERAND */
    enum ptx_type a, b, c, f; /* source types, in the text's order */
    struct sim_modifiers mod; /* to be copied to the instruction, as are these: */
    uint8_t small, count;
    unsigned flags; /* enum sim_op_flags */
    char member;    /* SIM_OP_SYNC: 'a', 'b', 'c' or 'f' */
};

/* Looks an opcode's whole text up ("setp.lt.and.s32", "cvt.rn.f16.f32", "mad.lo.s32").  Returns false
 * when no such instruction is known; then *why, if set, is a word on what is wrong with it.
 * Thread-safe.
 *
 * Order of operands, as PTX writes them: d[|e], a, b, c, f.  mov's vector forms are found under names of
 * their own, because one text means several things:
 *     "mov.pack.2x32" (d b64 <- a b)      "mov.unpack.2x32" (d, e <- a b64)
 *     "mov.pack.2x16" (d b32 <- a b)      "mov.unpack.2x16" (d, e <- a b32)
 *     "mov.pack.4x16" (d b64 <- a b c f)  "mov.unpack.lo.4x16" (d, e: halves 0, 1), "mov.unpack.hi.4x16" (2,
 * 3) "mov.pack.2x8"/"mov.pack.4x8" and their unpack forms likewise, for .b8 elements A destination that is
 * '_' is given a scratch slot by the lowering.
 *
 * Where a register is wider than the instruction's type, which PTX allows for cvt alone, the lowering
 * converts first or after: a 64-bit register as .u32 source goes through cvt.u32.u64, a 32-bit register as
 * .s8 or .s16 destination takes the result through cvt.s32.s8 or .s16.  (An .s8 result is sign-extended to
 * 16 bits, an .s16 one is zero-extended to the slot's 32, as 16-bit registers are.) */
bool sim_op_find(const char *mnemonic, struct sim_op *out, const char **why);

/* How many distinct mnemonics sim_op_find knows, and the i-th of them: for tests and the docs' list. */
unsigned sim_op_count(void);
const char *sim_op_name(unsigned i);

#endif
