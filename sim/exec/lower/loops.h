/* A function's loops, and the exits where lanes leave only in their first round. */
#ifndef WIDELOAD_SIM_LOOPS_H
#define WIDELOAD_SIM_LOOPS_H

#include "sim/exec/lower/flow.h"

/* Larger loops are not examined, neither for where their lanes meet nor for how they leave. */
#define FLOW_MAX_LOOP 1024

/* The blocks from which an edge back to the loop's head can be reached. */
struct flow_loop {
    size_t head, end;     /* the edge leads from end to head */
    const size_t *blocks; /* ascending */
    size_t count;
};

struct flow_loops {
    struct flow_loop *items;
    size_t count;
    size_t *blocks; /* of all loops */
};

/* The predecessors of block b: blocks[first[b] .. first[b + 1]]. */
struct flow_before {
    size_t *first, *blocks;
    bool *reached; /* reachable from the function's first block */
};

/* False on out-of-memory. */
bool flow_find_before(const struct flow *flow, struct flow_before *out);
void flow_before_free(struct flow_before *before);

/* Loops with one way in and at most FLOW_MAX_LOOP blocks, sorted by their ends.  False on out-of-memory. */
bool flow_find_loops(const struct flow *flow, const struct flow_before *before, struct flow_loops *out);
void flow_loops_free(struct flow_loops *loops);
bool flow_in_loop(const struct flow_loop *loop, size_t block);

/* Whether the register is loop-invariant, as far as a few computations show it. */
bool flow_is_steady(const struct flow *flow, const struct flow_loop *loop, const struct ptx_register *reg);

/* Whether every path from the loop's head to its end includes the block. */
bool flow_in_each_round(const struct flow *flow, const struct flow_loop *loop, size_t block);

/* Whether the block ends with a branch out of the innermost loop around it that every round reaches and whose
 * condition is loop-invariant: lanes that leave there do so in their first round. */
bool flow_leaves_at_once(const struct flow *flow, const struct flow_before *before,
                         const struct flow_loops *loops, size_t block);

#endif
