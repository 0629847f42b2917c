/* What the passes of the lowering, and the checks, want to know of an instruction before it is lowered: one
 * list, instructions.def, in which each instruction finds its row when its function is lowered (in->row). */
#ifndef WIDELOAD_SIM_INSTRUCTIONS_H
#define WIDELOAD_SIM_INSTRUCTIONS_H

#include "sim/ptx/ptx.h"

struct lower;

/* Whether the first operand is written.  Early: before the last source is read for every lane, so that the
 * two must not share a slot. */
enum sim_result { SIM_RESULT_NONE, SIM_RESULT_LATE, SIM_RESULT_EARLY };

/* Where lanes go on.  All but the first two move or stop the lanes themselves: their guard cannot be a mask
 * of lanes, and becomes a branch around them. */
enum sim_control {
    SIM_CONTROL_ON,       /* at the next instruction */
    SIM_CONTROL_BRANCHES, /* at a label, where the guard holds */
    SIM_CONTROL_SWITCHES, /* at a label of a list */
    SIM_CONTROL_RETURNS,  /* at the caller's; in an entry function: nowhere */
    SIM_CONTROL_ENDS,     /* nowhere: the thread ends */
    SIM_CONTROL_CALLS,    /* at the next instruction, once the callee has returned */
    SIM_CONTROL_WAITS,    /* at the next instruction, once other lanes have come */
};

/* What it does to memory. */
enum sim_memory_use {
    SIM_MEMORY_READS = 1,
    SIM_MEMORY_WRITES = 2,
    SIM_MEMORY_GLOBAL = 4, /* never to shared memory, whatever its words are */
    SIM_MEMORY_ORDERS = 8, /* ptxas moves no access to shared memory across it */
};

/* What becomes of a value that was never written, for the checks: whether something is computed with it. */
enum sim_value_use {
    SIM_VALUE_USES,        /* with each source */
    SIM_VALUE_MOVES,       /* the sources are moved to the result, whole or in parts */
    SIM_VALUE_MOVES_FIRST, /* the first operand behind the result or the address is moved; the others are used
                            */
    SIM_VALUE_MOVES_WHOLE, /* the sources are moved, unless floats are converted */
    SIM_VALUE_LOADS,       /* it is what memory held; the address is used */
    SIM_VALUE_COPIES,      /* it goes from memory to memory */
};

/* What ptxas makes of it, as counters show. */
enum sim_ptxas {
    SIM_PTXAS_UNIFORM = 1, /* the result is the same in all lanes where the sources are (facts.c) */
    SIM_PTXAS_STEADY = 2,  /* the result stays the same as long as the sources do (loops.c) */
    SIM_PTXAS_SHORT = 4,   /* a loop that has it is unrolled, and it counts as one instruction there; */
    SIM_PTXAS_LONG = 8,    /* or as many (unroll.c) */
    SIM_PTXAS_APART = 16,  /* loads of shared memory before and after it are seldom merged (merge.c) */
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

/* The row of an instruction; NULL: it has none, and *why is a word on that.  Thread-safe. */
const struct sim_instruction *sim_instruction_find(const struct ptx_instruction *in, const char **why);
/* The i-th row; NULL behind the last one. */
const struct sim_instruction *sim_instruction_at(size_t i);

#endif
