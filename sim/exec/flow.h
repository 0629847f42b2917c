/* A function's control flow: its instructions cut into basic blocks, and for each block the immediate
 * post-dominator, where lanes that part at its end meet again; early returns aside. */
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

/* One step of the lowered program.  A guarded instruction that moves control or waits for other lanes
 * (@p ret, @p bar.sync) becomes a branch around an unguarded one. */
struct flow_node {
    const struct ptx_instruction *in;
    enum flow_kind kind;
    bool synthetic; /* the branch around a guarded instruction: not counted */
    bool unguarded; /* the guard has become that branch */
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
    size_t ipdom; /* a block, or FLOW_NO_BLOCK: lanes need not meet again */
    bool is_join; /* some block's lanes meet here */
};

struct flow {
    struct flow_node *nodes;
    size_t node_count;
    struct flow_block *blocks;
    size_t block_count;
    size_t *label_blocks; /* by label index in the function */
    size_t *storage;      /* the successor lists */
    bool returns;         /* a device function: its last block goes back to the caller */
};

/* false: out of memory. */
bool flow_build(const struct ptx_function *function, struct flow *out);
void flow_free(struct flow *flow);
/* postdom.c: sets ipdom and is_join of every block; part of flow_build.  false: out of memory. */
bool flow_find_ipdoms(struct flow *flow);
/* The block that a label stands before. */
size_t flow_label_block(const struct flow *flow, const struct ptx_label *label);

#endif
