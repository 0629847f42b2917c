/* Lowering: from the parser's tree to the instructions that warps run.  Private to sim/exec/lower/.
 *
 * Each function becomes one array of sim_insn.  Every basic block starts with an "enter" instruction that
 * counts the whole block (and, where lanes may meet again, joins them), so the other instructions need no
 * counting.
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
    struct facts facts;           /* found when the first atomic needs them */
    struct ptx_error *error;

    struct sim_insn *insns;
    size_t insn_count, insn_capacity;
    size_t *block_insn;           /* the place of each basic block's enter instruction */
    size_t block;                 /* the block being lowered, */
    const struct flow_node *node; /* and its node */
    bool wrote;                   /* the node's destination was requested */

    size_t *first_site;               /* by block */
    size_t next_site;                 /* in a block that repeats another; otherwise SIZE_MAX */
    struct lower_constant *constants; /* a hash table */
    size_t constant_count, constant_capacity;
    uint32_t pool_bytes;

    uint32_t temp_base[4], temp_used[4], temp_peak[4]; /* scratch slots, by class, freed after each node */
    int32_t *param_at; /* frame offsets of function->variables of space .param */
    bool failed_memory;
};

/* Memory for lowered instructions' own data, freed with the code. */
void *lower_alloc(struct lower *l, size_t bytes);
/* Whether a .param variable is in this function's frame (see place_params() in lower.c): a device function's
 * own parameters and results, and the arguments of its calls; not a kernel's parameters. */
bool lower_in_frame(const struct lower *l, const struct ptx_variable *v);
/* Appends an instruction for the current node; NULL on out-of-memory. */
struct sim_insn *lower_emit(struct lower *l, sim_run_fn *body);
/* Gives a memory instruction the number of its tally; op describes the access. */
bool lower_site(struct lower *l, struct sim_memop *op);
bool lower_error(struct lower *l, struct ptx_pos pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool lower_out_of_memory(struct lower *l);
/* Reports "instruction 'ld.foo' is not supported" at the current node. */
bool lower_unknown(struct lower *l, const char *why);

/* operands.c: references.  Functions that may emit helper instructions return false after an error. */
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
 * offset.  op->space determines the allowed addresses. */
bool lower_address(struct lower *l, const struct ptx_operand *operand, struct sim_memop *op, int32_t *ref);
/* The state space that the instruction names; false if it is not supported. */
bool lower_space(const struct ptx_instruction *in, enum sim_space *space);
/* Makes an instruction wait for all 32 lanes of its warp. */
bool lower_aligned(struct lower *l, struct sim_insn *out);

/* lower_mbarrier.c: the arrival at the end of st.async and red.async. */
bool lower_bytes_arrive(struct lower *l, enum sim_space space, unsigned bytes);

/* lower_control.c: the current node is a branch that the flow has added, or the entry to an unrolled loop. */
bool lower_loop_entry(struct lower *l);

/* The functions that instructions.def names: each lowers the current node.  Such a function without a row has
 * no prototype, and the compiler warns about it. */
#define INSTRUCTION(pattern, by, ...) bool lower_##by(struct lower *l);
#define COMPUTING(...)                INSTRUCTION(, op, )
#include "sim/exec/lower/instructions.def"
#undef COMPUTING
#undef INSTRUCTION

#endif
