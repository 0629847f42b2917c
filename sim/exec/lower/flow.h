/* A function's control flow: its instructions as basic blocks, and each block's immediate post-dominator,
 * where lanes that diverge at its end meet again (early returns are special), and places where some of them
 * meet before that (docs/notes/reconvergence.md). */
#ifndef WIDELOAD_SIM_FLOW_H
#define WIDELOAD_SIM_FLOW_H

#include "sim/ptx/ptx.h"

enum flow_kind {
    FLOW_PLAIN,
    FLOW_BRANCH, /* to target; conditional if condition is set */
    FLOW_SWITCH, /* brx.idx: to the labels of list */
    FLOW_RETURN, /* to the caller, through the function's last block; in an entry function: exit */
    FLOW_EXIT,   /* the thread ends (exit, trap) */
};

/* A loop's counter: for FLOW_LESS, the loop continues while reg, after adding step, is less than bound. */
enum flow_test { FLOW_NO_TEST, FLOW_LESS, FLOW_AT_MOST, FLOW_GREATER, FLOW_OTHER };
struct flow_counter {
    const struct ptx_register *reg;
    const struct ptx_operand *bound; /* loop-invariant */
    enum ptx_type type;
    enum flow_test test;
    int64_t step;
};

/* One step of the lowered program.  A guarded instruction that redirects lanes or waits for others (@p ret,
 * @p bar.sync) becomes a branch around an unguarded one. */
struct flow_node {
    const struct ptx_instruction *in;
    enum flow_kind kind;
    bool synthetic; /* the branch around a guarded instruction: not counted */
    bool unguarded; /* the guard has become that branch */
    /* For unroll.c: a loop's branch that always continues; an entry to the loop, which sets the condition. */
    bool is_passed, is_entered;
    /* And a branch to target if this many more rounds are certain; if condition_negated, if not. */
    const struct flow_counter *counter;
    unsigned rounds;
    const struct ptx_register *condition;
    bool condition_negated;
    size_t target; /* FLOW_BRANCH: a block */
    const struct ptx_label *list;
};

#define FLOW_NO_BLOCK SIZE_MAX

struct flow_block {
    size_t first, end; /* nodes */
    size_t *successors;
    size_t successor_count;
    size_t ipdom;  /* a block, or FLOW_NO_BLOCK: lanes never have to meet again */
    size_t nearer; /* a block where those lanes meet that do not bypass it; or FLOW_NO_BLOCK */
    bool is_join;  /* some block's lanes meet here */
    /* In an unrolled loop: the block whose instructions this one repeats, or whose test it makes; else 0. */
    size_t copy_of;
    /* Blocks whose nearer places can no longer be reached from here, but could be reached until now. */
    size_t *given_up, given_up_count;
};

struct flow {
    struct flow_node *nodes;
    size_t node_count;
    struct flow_block *blocks;
    size_t block_count;
    size_t *label_blocks; /* by label index in the function */
    size_t *storage;      /* the lists of successors */
    size_t *given_up;     /* the lists of that name */
    struct flow_counter *counters;
    bool returns; /* a device function: its last block returns to the caller */
    bool is_part; /* part of another flow: its last two blocks stand for what is outside */
};

/* False on out-of-memory. */
bool flow_build(const struct ptx_function *function, struct flow *out);
void flow_free(struct flow *flow);
/* unroll.c: unrolls the loops that ptxas unrolls; part of flow_build.  False on out-of-memory. */
bool flow_unroll(const struct ptx_function *function, struct flow *flow);
/* postdom.c: sets ipdom and is_join of every block; part of flow_build.  False on out-of-memory. */
bool flow_find_ipdoms(struct flow *flow);
/* meet.c: sets nearer and given_up of every block; part of flow_build.  False on out-of-memory. */
bool flow_find_nearer(struct flow *flow);
/* Each block's immediate post-dominator, or FLOW_NO_BLOCK; ipdom needs room for one more.  left_out: edges to
 * ignore, by index in flow->storage; NULL: none.  False on out-of-memory. */
bool flow_post_dominate(const struct flow *flow, const bool *left_out, size_t *ipdom);
/* Whether a block only ends the thread.  (A device function's last block returns to the caller instead.) */
bool flow_only_ends(const struct flow *flow, size_t block);
/* Marks the edges to code that only ends.  left_out: initially all false.  False on out-of-memory. */
bool flow_leave_out_ends(const struct flow *flow, bool *left_out);
/* The block that a label precedes. */
size_t flow_label_block(const struct flow *flow, const struct ptx_label *label);

#endif
