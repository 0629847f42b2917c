#include "sim/exec/lower/flow.h"

#include <stdlib.h>

#include "sim/exec/lower/instructions.h"

static enum flow_kind kind_of(const struct ptx_instruction *in) {
    switch (in->row->control) {
    case SIM_CONTROL_BRANCHES:
        return FLOW_BRANCH;
    case SIM_CONTROL_SWITCHES:
        return FLOW_SWITCH;
    case SIM_CONTROL_RETURNS:
        return FLOW_RETURN;
    case SIM_CONTROL_ENDS:
        return FLOW_EXIT;
    default:
        return FLOW_PLAIN;
    }
}

/* Instructions whose guard cannot be a lane mask, because they redirect or stop lanes themselves. */
static bool guard_is_branch(const struct ptx_instruction *in) {
    return in->row->control != SIM_CONTROL_ON && in->row->control != SIM_CONTROL_BRANCHES;
}

/* Makes one node per instruction, and another for a guard that becomes a branch. */
static size_t build_nodes(const struct ptx_function *function, struct flow *flow, size_t *node_of) {
    size_t count = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        node_of[i] = count;
        struct flow_node node = {.in = in, .kind = kind_of(in)};
        if (in->guard && guard_is_branch(in)) {
            flow->nodes[count++] = (struct flow_node){
                .in = in,
                .kind = FLOW_BRANCH,
                .synthetic = true,
                .condition = in->guard,
                .condition_negated = !in->guard_negated,
                .target = i + 1, /* an instruction index for now */
            };
            node.unguarded = true;
        } else if (node.kind == FLOW_BRANCH) {
            node.condition = in->guard;
            node.condition_negated = in->guard_negated;
        }
        flow->nodes[count++] = node;
    }
    node_of[function->instruction_count] = count;
    return count;
}

static const struct ptx_label *branch_label(const struct ptx_instruction *in) {
    for (size_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_LABEL)
            return in->operands[i].label;
    return NULL;
}

/* An invalid label, which the lowering refuses, leads to the last block, so that the graph is valid until
 * then. */
size_t flow_label_block(const struct flow *flow, const struct ptx_label *label) {
    return label && !label->is_list ? flow->label_blocks[label->index] : flow->block_count - 1;
}

/* The target of a branch; the end for an invalid label, which the lowering refuses. */
static size_t target_block(const struct flow *flow, const struct ptx_label *label) {
    return label && !label->is_list ? flow_label_block(flow, label) : flow->block_count - 1;
}

/* Lanes may call different functions, and meet again after the call. */
static bool is_indirect_call(const struct ptx_instruction *in) {
    if (in->row->control != SIM_CONTROL_CALLS)
        return false;
    for (size_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_FUNCTION)
            return false;
    return true;
}

/* Splits the nodes into blocks.  A device function gets one empty block at its end, the target of every
 * return, so that lanes from different returns meet before they go back to the caller. */
/* Marks the nodes that blocks begin at; returns the most edges that leave the blocks. */
static size_t find_leaders(const struct ptx_function *function, const struct flow *flow,
                           const size_t *node_of, bool *leader) {
    size_t edges = 0;
    leader[0] = true;
    for (size_t i = 0; i < function->label_count; i++)
        if (!function->labels[i]->is_list)
            leader[node_of[function->labels[i]->target]] = true;
    for (size_t i = 0; i < flow->node_count; i++) {
        const struct flow_node *node = &flow->nodes[i];
        const bool indirect = is_indirect_call(node->in);
        edges += node->kind == FLOW_PLAIN || indirect ? 1 : 2;
        if (node->kind == FLOW_PLAIN && !indirect)
            continue;
        leader[i + 1] = true;
        if (node->synthetic && !indirect)
            leader[node_of[node->target]] = true;
        if (node->kind == FLOW_SWITCH && !indirect) {
            const struct ptx_label *list = branch_label(node->in);
            edges += list ? list->branch_target_count : 0;
        }
    }
    return edges;
}

/* Writes the blocks that follow block b in the order of edges; returns the end of what it wrote. */
static size_t *write_successors(const struct ptx_function *function, struct flow *flow, const size_t *node_of,
                                const size_t *block_of, size_t b, size_t *edge) {
    struct flow_node *node = &flow->nodes[flow->blocks[b].end - 1];
    switch (node->kind) {
    case FLOW_PLAIN:
        *edge++ = b + 1;
        flow->blocks[b + 1].is_join |= !node->synthetic && is_indirect_call(node->in);
        break;
    case FLOW_BRANCH:
        node->target =
            node->synthetic ? block_of[node_of[node->target]] : target_block(flow, branch_label(node->in));
        *edge++ = node->target;
        if (node->condition && node->target != b + 1)
            *edge++ = b + 1;
        break;
    case FLOW_SWITCH:
        node->list = branch_label(node->in);
        for (size_t i = 0; node->list && i < node->list->branch_target_count; i++)
            *edge++ = target_block(flow, node->list->branch_targets[i]);
        break;
    case FLOW_RETURN:
        if (!function->entry)
            *edge++ = flow->block_count - 1;
        break;
    case FLOW_EXIT:
        break;
    }
    return edge;
}

/* Numbers the blocks; the last one is empty.  Returns false on out-of-memory. */
static bool number_blocks(const struct ptx_function *function, struct flow *flow, const bool *leader,
                          size_t edges, size_t *block_of) {
    const size_t nodes = flow->node_count;
    size_t blocks = 0;
    for (size_t i = 0; i < nodes; i++) {
        blocks += leader[i];
        block_of[i] = blocks - 1;
    }
    block_of[nodes] = blocks;
    flow->block_count = blocks + 1;
    flow->blocks = calloc(flow->block_count, sizeof *flow->blocks);
    flow->storage = malloc((edges + blocks + 1) * sizeof *flow->storage);
    flow->label_blocks = malloc((function->label_count + 1) * sizeof *flow->label_blocks);
    if (!flow->blocks || !flow->storage || !flow->label_blocks)
        return false;
    for (size_t i = 0; i < nodes; i++) {
        struct flow_block *block = &flow->blocks[block_of[i]];
        if (leader[i])
            block->first = i;
        block->end = i + 1;
    }
    flow->blocks[blocks].first = flow->blocks[blocks].end = nodes;
    return true;
}

static bool build_blocks(const struct ptx_function *function, struct flow *flow, const size_t *node_of) {
    bool *leader = calloc(flow->node_count + 1, sizeof *leader);
    size_t *block_of = malloc((flow->node_count + 1) * sizeof *block_of);
    for (size_t i = 0; i < function->label_count; i++)
        function->labels[i]->index = i;
    const bool ok =
        leader && block_of &&
        number_blocks(function, flow, leader, find_leaders(function, flow, node_of, leader), block_of);
    if (ok) {
        for (size_t i = 0; i < function->label_count; i++)
            if (!function->labels[i]->is_list)
                flow->label_blocks[i] = block_of[node_of[function->labels[i]->target]];
        size_t *edge = flow->storage;
        for (size_t b = 0; b + 1 < flow->block_count; b++) {
            flow->blocks[b].successors = edge;
            edge = write_successors(function, flow, node_of, block_of, b, edge);
            flow->blocks[b].successor_count = (size_t)(edge - flow->blocks[b].successors);
        }
        flow->blocks[flow->block_count - 1].successors = edge;
    }
    free(leader), free(block_of);
    return ok;
}

bool flow_build(const struct ptx_function *function, struct flow *out) {
    *out = (struct flow){0};
    size_t n = function->instruction_count;
    size_t *node_of = malloc((n + 1) * sizeof *node_of);
    out->nodes = calloc(2 * n + 1, sizeof *out->nodes);
    bool ok = node_of && out->nodes;
    if (ok) {
        out->returns = !function->entry;
        out->node_count = build_nodes(function, out, node_of);
        ok = build_blocks(function, out, node_of) && flow_unroll(function, out) && flow_find_ipdoms(out) &&
             flow_find_nearer(out);
    }
    free(node_of);
    if (!ok)
        flow_free(out);
    return ok;
}

void flow_free(struct flow *flow) {
    free(flow->nodes);
    free(flow->blocks);
    free(flow->storage);
    free(flow->given_up);
    free(flow->counters);
    free(flow->label_blocks);
    *flow = (struct flow){0};
}
