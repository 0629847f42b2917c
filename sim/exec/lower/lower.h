/* Lowering: from the parser's tree to what warps run.  Private to sim/exec/lower/.
 *
 * Each function becomes one array of sim_insn.  Every basic block starts with an "enter" instruction
 * that counts it (and, where lanes may meet again, joins them), so that plain instructions need not
 * count themselves.
 */
#ifndef WIDELOAD_SIM_LOWER_H
#define WIDELOAD_SIM_LOWER_H

#include "sim/exec/handlers.h"
#include "sim/exec/lower/facts.h"
#include "sim/exec/lower/flow.h"
#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/merge.h"
#include "sim/exec/lower/slots.h"
#include "sim/exec/program.h"

struct lower_constant {
    uint64_t value;
    enum sim_slot class;
    int32_t ref;
};

struct lower {
    struct sim_module *module;
    const struct ptx_function *function;
    struct sim_code *code;
    struct flow flow;
    struct slots slots;
    struct merged_access *merged; /* by instruction */
    struct facts facts;           /* found when the first atomic asks for them */
    struct ptx_error *error;

    struct sim_insn *insns;
    size_t insn_count, insn_capacity;
    size_t *block_insn;           /* where each basic block's enter instruction is */
    size_t block;                 /* the one being lowered, */
    const struct flow_node *node; /* and its node */
    bool wrote;                   /* it has asked where its result goes */

    size_t *first_site;               /* by block */
    size_t next_site;                 /* of a block that repeats another; else SIZE_MAX */
    struct lower_constant *constants; /* a hash table */
    size_t constant_count, constant_capacity;
    uint32_t pool_bytes;

    uint32_t temp_base[4], temp_used[4], temp_peak[4]; /* scratch slots, by class, free again after a node */
    int32_t *param_at; /* where function->variables of space .param lie in the frame */
    bool failed_memory;
};

/* Room for lowered instructions' own data, freed with the code. */
void *lower_alloc(struct lower *l, size_t bytes);
/* Whether a .param variable lies in this function's frame (place_params() in lower.c put it there): a
 * device function's own parameters and results, and the arguments of its calls; not a kernel's parameters. */
bool lower_in_frame(const struct lower *l, const struct ptx_variable *v);
/* Appends an instruction for the current node; NULL when out of memory. */
struct sim_insn *lower_emit(struct lower *l, sim_run_fn *body);
/* Numbers a memory instruction for its tally, as the access that op says. */
bool lower_site(struct lower *l, struct sim_memop *op);
bool lower_error(struct lower *l, struct ptx_pos pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool lower_out_of_memory(struct lower *l);
/* "instruction 'ld.foo' is not supported" at the current node. */
bool lower_unknown(struct lower *l, const char *why);

/* operands.c: references.  Those that may emit helper instructions return false after an error. */
bool lower_source(struct lower *l, const struct ptx_operand *operand, enum ptx_type type, int32_t *ref);
bool lower_destination(struct lower *l, const struct ptx_operand *operand, enum sim_slot class, int32_t *ref);
bool lower_constant(struct lower *l, uint64_t value, enum sim_slot class, int32_t *ref);
bool lower_temp(struct lower *l, enum sim_slot class, int32_t *ref);
bool lower_register(struct lower *l, const struct ptx_register *reg, int32_t *ref);
/* A variable's address in its own space. */
bool lower_variable_address(struct lower *l, const struct ptx_operand *operand, enum sim_slot class,
                            int32_t *ref);
/* Finishes the constant pool. */
bool lower_pool(struct lower *l);

/* lower_memory.c: [register + offset], [variable + offset], [offset] -> the register (or a constant), and the
 * offset.  op->space says which addresses are allowed. */
bool lower_address(struct lower *l, const struct ptx_operand *operand, struct sim_memop *op, int32_t *ref);
/* The state space that the instruction names; false when it is one that does not exist here. */
bool lower_space(const struct ptx_instruction *in, enum sim_space *space);
/* Marks an instruction as one that waits for all 32 lanes of its warp. */
bool lower_aligned(struct lower *l, struct sim_insn *out);

/* lower_mbarrier.c: what st.async and red.async do in the end. */
bool lower_bytes_arrive(struct lower *l, enum sim_space space, unsigned bytes);

/* lower_control.c: the current node, which is a branch of the flow's own, or begins an unrolled loop. */
bool lower_loop_entry(struct lower *l);

/* What instructions.def names: each lowers the current node.  A function of that form without a row has no
 * prototype, of which the compiler warns. */
#define INSTRUCTION(pattern, by, ...) bool lower_##by(struct lower *l);
#define COMPUTING(...)                INSTRUCTION(, op, )
#include "sim/exec/lower/instructions.def"
#undef COMPUTING
#undef INSTRUCTION

#endif
