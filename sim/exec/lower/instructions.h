/* What the lowering's passes and the checks need to know about an instruction before it is lowered.  The list
 * is instructions.def; each instruction gets its row when its function is lowered (in->row). */
#ifndef WIDELOAD_SIM_INSTRUCTIONS_H
#define WIDELOAD_SIM_INSTRUCTIONS_H

#include "sim/ptx/ptx.h"

struct lower;

/* Whether the first operand is written.  Early: before the last source is read for every lane, so the
 * destination must not share a slot with a source. */
enum sim_result { SIM_RESULT_NONE, SIM_RESULT_LATE, SIM_RESULT_EARLY };

/* Where lanes continue.  All but the first two redirect or stop lanes themselves, so their guard cannot be a
 * lane mask and becomes a branch around them. */
enum sim_control {
    SIM_CONTROL_ON,       /* at the next instruction */
    SIM_CONTROL_BRANCHES, /* at a label, if the guard holds */
    SIM_CONTROL_SWITCHES, /* at a label of a list */
    SIM_CONTROL_RETURNS,  /* in the caller; in an entry function: nowhere */
    SIM_CONTROL_ENDS,     /* nowhere: the thread ends */
    SIM_CONTROL_CALLS,    /* at the next instruction, once the callee has returned */
    SIM_CONTROL_WAITS,    /* at the next instruction, when the other lanes have arrived */
};

/* How it uses memory. */
enum sim_memory_use {
    SIM_MEMORY_READS = 1,
    SIM_MEMORY_WRITES = 2,
    SIM_MEMORY_GLOBAL = 4, /* never in shared memory, whatever its words are */
    SIM_MEMORY_ORDERS = 8, /* ptxas moves no access to shared memory across it */
};

/* What happens to a value that was never written: the checks report it if something is computed from it. */
enum sim_value_use {
    SIM_VALUE_USES,        /* computed from each source */
    SIM_VALUE_MOVES,       /* the sources are moved to the result, whole or in parts */
    SIM_VALUE_MOVES_FIRST, /* the first operand after result or address is moved; the others are used */
    SIM_VALUE_MOVES_WHOLE, /* the sources are moved, unless floats are converted */
    SIM_VALUE_LOADS,       /* the result is memory's content; the address is used */
    SIM_VALUE_COPIES,      /* the value is copied from memory to memory */
};

/* What ptxas does with it, as counters show. */
enum sim_ptxas {
    SIM_PTXAS_UNIFORM = 1, /* the result is uniform over the lanes if the sources are (facts.c) */
    SIM_PTXAS_STEADY = 2,  /* the result stays the same as long as the sources do (loops.c) */
    SIM_PTXAS_SHORT = 4,   /* a loop with it may be unrolled; it counts as one instruction there, */
    SIM_PTXAS_LONG = 8,    /* or as several (unroll.c) */
    SIM_PTXAS_APART = 16,  /* loads of shared memory on both sides of it are rarely merged (merge.c) */
};

struct sim_instruction {
    const char *pattern;
    bool (*lower)(struct lower *); /* lowers the current node */
    enum sim_result result;
    enum sim_control control;
    unsigned memory; /* bits of enum sim_memory_use */
    enum sim_value_use value;
    unsigned ptxas; /* bits of enum sim_ptxas */
};

/* The row of an instruction.  NULL if there is none; *why then says why.  Thread-safe. */
const struct sim_instruction *sim_instruction_find(const struct ptx_instruction *in, const char **why);
/* The i-th row; NULL after the last one. */
const struct sim_instruction *sim_instruction_at(size_t i);

#endif
