/* A function's control flow: its instructions cut into basic blocks, and for each block the immediate
 * post-dominator, where lanes that part at its end meet again; early returns aside.  And where some of them
 * meet before that (docs/notes/reconvergence.md). */
#ifndef WIDELOAD_SIM_FLOW_H
#define WIDELOAD_SIM_FLOW_H

#include "sim/ptx/ptx.h"

enum flow_kind {
    FLOW_PLAIN,
    FLOW_BRANCH, /* to target; conditional if condition is set */
    FLOW_SWITCH, /* brx.idx: to the labels of list */
    FLOW_RETURN, /* to the caller, by way of the function's last block; in an entry function: exit */
    FLOW_EXIT,   /* the thread ends (exit, trap) */
};

/* How a loop counts: it goes on while reg, which step was added to, is less than bound, and so on. */
enum flow_test { FLOW_NO_TEST, FLOW_LESS, FLOW_AT_MOST, FLOW_GREATER, FLOW_OTHER };
struct flow_counter {
    const struct ptx_register *reg;
    const struct ptx_operand *bound; /* what the loop does not write */
    enum ptx_type type;
    enum flow_test test;
    int64_t step;
};

/* One step of the lowered program.  A guarded instruction that moves control or waits for other lanes
 * (@p ret, @p bar.sync) becomes a branch around an unguarded one. */
struct flow_node {
    const struct ptx_instruction *in;
    enum flow_kind kind;
    bool synthetic; /* the branch around a guarded instruction: not counted */
    bool unguarded; /* the guard has become that branch */
    /* unroll.c's: a loop's branch that goes on in any case; sets the condition, as the loop is entered. */
    bool is_passed, is_entered;
    /* And a branch to target where so many rounds more are sure; with condition_negated, where they are not.
     */
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
    size_t ipdom;  /* a block, or FLOW_NO_BLOCK: lanes need not meet again */
    size_t nearer; /* a block where those meet that do not pass it by; or FLOW_NO_BLOCK */
    bool is_join;  /* some block's lanes meet here */
    /* Of an unrolled loop's blocks: the one whose instructions the others repeat, or test; 0: it is of none.
     */
    size_t copy_of;
    /* Blocks whose nearer places no way leads to from here, though one led there until now. */
    size_t *given_up, given_up_count;
};

struct flow {
    struct flow_node *nodes;
    size_t node_count;
    struct flow_block *blocks;
    size_t block_count;
    size_t *label_blocks; /* by label index in the function */
    size_t *storage;      /* the successor lists */
    size_t *given_up;     /* the lists of that name */
    struct flow_counter *counters;
    bool returns; /* a device function: its last block goes back to the caller */
    bool is_part; /* of another one's blocks: its last two blocks stand for what lies outside */
};

/* false: out of memory. */
bool flow_build(const struct ptx_function *function, struct flow *out);
void flow_free(struct flow *flow);
/* unroll.c: unrolls what ptxas does; part of flow_build.  false: out of memory. */
bool flow_unroll(const struct ptx_function *function, struct flow *flow);
/* postdom.c: sets ipdom and is_join of every block; part of flow_build.  false: out of memory. */
bool flow_find_ipdoms(struct flow *flow);
/* meet.c: sets nearer and given_up of every block; part of flow_build.  false: out of memory. */
bool flow_find_nearer(struct flow *flow);
/* Each block's immediate post-dominator, or FLOW_NO_BLOCK; ipdom has room for one more.  left_out: by place
 * in flow->storage, edges that are not followed; NULL: all are.  false: out of memory. */
bool flow_post_dominate(const struct flow *flow, const bool *left_out, size_t *ipdom);
/* Whether a block is nothing but the end of the thread.  (A device function's last one goes back to the
 * caller.) */
bool flow_only_ends(const struct flow *flow, size_t block);
/* Marks the edges to code that only ends.  left_out: all false.  false: out of memory. */
bool flow_leave_out_ends(const struct flow *flow, bool *left_out);
/* The block that a label stands before. */
size_t flow_label_block(const struct flow *flow, const struct ptx_label *label);

#endif
