/* The lowered form that warps run, and the one contract every instruction handler keeps.
 *
 * A register is a vector of 32 lanes: a 32-bit slot (128 bytes; 8- and 16-bit registers live in one,
 * zero-extended), a 64-bit slot (256 bytes), or a predicate: one uint32_t whose bit i is lane i.
 * Slots lie in the frame of the running function; constants lie, already spread over 32 lanes, in the
 * function's constant pool.  An operand reference is a byte offset whose lowest bit says which of the
 * two it counts from, so a handler never asks whether an operand is a register or an immediate.
 *
 * A handler computes the lanes of w->mask, writes no other lane, and returns the instruction to run
 * next: in + 1, a branch target, or NULL when the warp must yield.  w->mask is never 0 in a handler.
 */
#ifndef WIDELOAD_SIM_INSN_H
#define WIDELOAD_SIM_INSN_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_LANES     32
#define SIM_ALL_LANES 0xffffffffu

struct sim_warp;
struct sim_insn;

typedef const struct sim_insn *sim_run_fn(struct sim_warp *warp, const struct sim_insn *in);

/* What a slot holds.  SIM_NONE: the instruction has no such operand. */
enum sim_slot { SIM_NONE, SIM_PRED, SIM_32, SIM_64 };

enum sim_rounding { SIM_RN, SIM_RZ, SIM_RM, SIM_RP, SIM_RNA };

/* The modifiers of a floating-point instruction that leave its operand types alone. */
struct sim_modifiers {
    uint8_t rounding; /* enum sim_rounding; for cvt to integer: rni rzi rmi rpi likewise */
    bool ftz;         /* subnormal inputs and outputs become zero, f32 only */
    bool sat;         /* result clamped to [0, 1] (NaN -> 0), or for integer cvt to the type's range */
};

struct sim_insn {
    sim_run_fn *run; /* what the loop calls: the body, or a wrapper (guard, convergence) that calls it */
    sim_run_fn *body;
    int32_t d, e;       /* destinations; e is the second one (setp p|q, shfl d|p, unpack) */
    int32_t a, b, c, f; /* sources */
    int32_t guard;      /* the predicate of @p, when run is the guard wrapper */
    bool guard_negated;
    uint8_t width; /* memory instructions: bytes a lane and element; else free for the handler */
    struct sim_modifiers mod;
    uint8_t small;  /* a handler's own small parameter: a comparison, a LUT, which register negates ... */
    uint8_t count;  /* a handler's own: elements of a vector access ... */
    uint32_t index; /* of the PTX instruction in its function: counters, source line */
    union {
        int64_t imm;
        const struct sim_insn *target;
        const void *extra; /* what only this handler knows */
    };
};

/* Where an operand's lanes begin. */
#define SIM_SLOT(w, ref) ((void *)((w)->base[(ref)&1] + ((ref) & ~1)))

#endif
