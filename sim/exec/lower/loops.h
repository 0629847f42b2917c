/* A function's loops, and the exits by which all lanes that use them leave at once. */
#ifndef WIDELOAD_SIM_LOOPS_H
#define WIDELOAD_SIM_LOOPS_H

#include "sim/exec/lower/flow.h"

/* A larger loop is not looked at: neither where lanes meet in it, nor how they leave it. */
#define FLOW_MAX_LOOP 1024

/* The blocks from which an edge back to the loop's head is come to. */
struct flow_loop {
    size_t head, end;     /* the edge leads from end to head */
    const size_t *blocks; /* ascending */
    size_t count;
};

struct flow_loops {
    struct flow_loop *items;
    size_t count;
    size_t *blocks; /* of all of them */
};

/* Who leads to block b: before[first_before[b] .. first_before[b + 1]]. */
struct flow_before {
    size_t *first, *blocks;
    bool *reached; /* from the function's first block */
};

/* false: out of memory. */
bool flow_find_before(const struct flow *flow, struct flow_before *out);
void flow_before_free(struct flow_before *before);

/* Loops with one way in and at most FLOW_MAX_LOOP blocks, in the order of their ends.  false: out of memory.
 */
bool flow_find_loops(const struct flow *flow, const struct flow_before *before, struct flow_loops *out);
void flow_loops_free(struct flow_loops *loops);
bool flow_in_loop(const struct flow_loop *loop, size_t block);

/* Whether no round changes the register, as far as a few computations show it. */
bool flow_is_steady(const struct flow *flow, const struct flow_loop *loop, const struct ptx_register *reg);

/* Whether each way from the loop's head to its end is by way of the block. */
bool flow_in_each_round(const struct flow *flow, const struct flow_loop *loop, size_t block);

/* Whether the block ends with a branch out of the innermost loop around it, which each round comes to, and
 * whose condition no round changes: lanes that leave there do so in their first round. */
bool flow_leaves_at_once(const struct flow *flow, const struct flow_before *before,
                         const struct flow_loops *loops, size_t block);

#endif
