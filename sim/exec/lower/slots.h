/* The frame slot of each register, and when it holds it.
 *
 * PTX names a new register for nearly every result; a frame with a slot for each would not fit into the
 * cache.  Registers whose lifetimes do not overlap share a slot (linear scan over live intervals).
 *
 * Divergence does not affect this: each lane runs its own sequential program, for which the intervals hold,
 * and an instruction writes only the lanes that execute it.
 */
#ifndef WIDELOAD_SIM_SLOTS_H
#define WIDELOAD_SIM_SLOTS_H

#include "sim/exec/insn.h"
#include "sim/exec/lower/flow.h"

struct slots {
    int32_t *of_register; /* byte offset in the frame; -1: never used */
    uint32_t frame_bytes; /* a multiple of 64 */
    /* Slots that a path may read before they are written, {offset, bytes}: zeroed at entry, so that a faulty
     * program gives the same result every time. */
    uint32_t *zero;
    size_t zero_count;
    unsigned peak_words; /* maximum number of 32-bit registers in use at once: an estimate of ptxas's count */
};

/* False on out-of-memory. */
bool slots_assign(const struct ptx_function *function, const struct flow *flow, struct slots *out);
void slots_free(struct slots *slots);
enum sim_slot slots_class(enum ptx_type type);
/* The number of leading operands that the instruction writes: 0 or 1. */
size_t slots_destinations(const struct ptx_instruction *in);

#endif
