#include "sim/exec/lower/loops.h"

#include <stdlib.h>

#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/slots.h"

bool flow_find_before(const struct flow *flow, struct flow_before *out) {
    size_t n = flow->block_count, edges = 0;
    for (size_t b = 0; b < n; b++)
        edges += flow->blocks[b].successor_count;
    *out = (struct flow_before){.first = calloc(n + 2, sizeof *out->first),
                                .blocks = malloc((edges + 1) * sizeof *out->blocks),
                                .reached = calloc(n, sizeof *out->reached)};
    size_t *stack = malloc(n * sizeof *stack);
    bool ok = out->first && out->blocks && out->reached && stack;
    if (ok) {
        for (size_t b = 0; b < n; b++)
            for (size_t e = 0; e < flow->blocks[b].successor_count; e++)
                out->first[flow->blocks[b].successors[e] + 2]++;
        for (size_t b = 0; b < n; b++)
            out->first[b + 2] += out->first[b + 1];
        for (size_t b = 0; b < n; b++)
            for (size_t e = 0; e < flow->blocks[b].successor_count; e++)
                out->blocks[out->first[flow->blocks[b].successors[e] + 1]++] = b;
        size_t depth = 0;
        out->reached[stack[depth++] = 0] = true;
        while (depth) {
            const struct flow_block *block = &flow->blocks[stack[--depth]];
            for (size_t e = 0; e < block->successor_count; e++)
                if (!out->reached[block->successors[e]])
                    out->reached[stack[depth++] = block->successors[e]] = true;
        }
    }
    free(stack);
    return ok;
}

void flow_before_free(struct flow_before *before) {
    free(before->first), free(before->blocks), free(before->reached);
    *before = (struct flow_before){0};
}

static int by_number(const void *a, const void *b) {
    size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

/* Walks back from the loop's end to its head, but not into blocks whose mark is already set.  Returns the
 * number of blocks; 0 if there are too many, or a way in that bypasses the head. */
static size_t walk_back(const struct flow_before *before, size_t end, size_t head, bool *mark,
                        size_t *blocks) {
    size_t count = 0;
    mark[blocks[count++] = end] = true;
    if (head != end)
        mark[blocks[count++] = head] = true;
    for (size_t i = 0; i < count; i++) {
        size_t b = blocks[i];
        if (b == head)
            continue;
        bool way_in = b == 0;
        for (size_t p = before->first[b]; p < before->first[b + 1] && !way_in; p++) {
            size_t t = before->blocks[p];
            if (!before->reached[t] || mark[t])
                continue;
            way_in = count == FLOW_MAX_LOOP;
            if (!way_in)
                mark[blocks[count++] = t] = true;
        }
        if (way_in) {
            while (count)
                mark[blocks[--count]] = false;
            return 0;
        }
    }
    for (size_t i = 0; i < count; i++)
        mark[blocks[i]] = false;
    return count;
}

bool flow_find_loops(const struct flow *flow, const struct flow_before *before, struct flow_loops *out) {
    size_t n = flow->block_count, capacity = 0, used = 0;
    *out = (struct flow_loops){0};
    bool *mark = calloc(n, sizeof *mark);
    size_t edges = 0;
    for (size_t b = 0; b < n; b++)
        for (size_t e = 0; e < flow->blocks[b].successor_count; e++)
            edges += before->reached[b];
    out->items = malloc((edges + 1) * sizeof *out->items);
    bool ok = mark && out->items;
    for (size_t b = 0; ok && b < n; b++)
        for (size_t e = 0; ok && before->reached[b] && e < flow->blocks[b].successor_count; e++) {
            size_t head = flow->blocks[b].successors[e];
            if (capacity - used < FLOW_MAX_LOOP) {
                capacity = 2 * capacity + FLOW_MAX_LOOP;
                size_t *grown = realloc(out->blocks, capacity * sizeof *grown);
                if (!(ok = grown != NULL))
                    break;
                out->blocks = grown;
            }
            size_t count = walk_back(before, b, head, mark, out->blocks + used);
            if (!count)
                continue;
            qsort(out->blocks + used, count, sizeof *out->blocks, by_number);
            out->items[out->count++] = (struct flow_loop){.head = head, .end = b, .count = count};
            used += count;
        }
    /* Set last, because the blocks moved while they grew. */
    for (size_t i = 0, at = 0; i < out->count; at += out->items[i++].count)
        out->items[i].blocks = out->blocks + at;
    free(mark);
    return ok;
}

void flow_loops_free(struct flow_loops *loops) {
    free(loops->items), free(loops->blocks);
    *loops = (struct flow_loops){0};
}

bool flow_in_loop(const struct flow_loop *loop, size_t block) {
    return bsearch(&block, loop->blocks, loop->count, sizeof block, by_number) != NULL;
}

static bool names(const struct ptx_operand *operand, const struct ptx_register *reg) {
    for (size_t i = 0; i < operand->item_count; i++)
        if (names(&operand->items[i], reg))
            return true;
    return operand->reg == reg;
}

/* The longest chain of registers that a condition is computed from. */
enum { MAX_DEPTH = 8 };

static bool is_steady(const struct flow *flow, const struct flow_loop *loop, const struct ptx_register *reg,
                      unsigned depth);

static bool are_steady(const struct flow *flow, const struct flow_loop *loop,
                       const struct ptx_operand *operand, unsigned depth) {
    for (size_t i = 0; i < operand->item_count; i++)
        if (!are_steady(flow, loop, &operand->items[i], depth))
            return false;
    return !operand->reg || is_steady(flow, loop, operand->reg, depth);
}

/* Whether the register is loop-invariant: nothing in the loop writes it, or a single instruction does that
 * computes it from loop-invariant registers. */
static bool is_steady(const struct flow *flow, const struct flow_loop *loop, const struct ptx_register *reg,
                      unsigned depth) {
    const struct ptx_instruction *writer = NULL;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *block = &flow->blocks[loop->blocks[i]];
        for (size_t n = block->first; n < block->end; n++) {
            const struct ptx_instruction *in = flow->nodes[n].in;
            if (!slots_destinations(in) || !names(&in->operands[0], reg))
                continue;
            if (writer)
                return false;
            writer = in;
        }
    }
    if (!writer)
        return true;
    if (depth == MAX_DEPTH || writer->guard || !(writer->row->ptxas & SIM_PTXAS_STEADY))
        return false;
    for (size_t i = 1; i < writer->operand_count; i++)
        if (!are_steady(flow, loop, &writer->operands[i], depth + 1))
            return false;
    return true;
}

bool flow_is_steady(const struct flow *flow, const struct flow_loop *loop, const struct ptx_register *reg) {
    return is_steady(flow, loop, reg, 0);
}

bool flow_in_each_round(const struct flow *flow, const struct flow_loop *loop, size_t block) {
    size_t stack[FLOW_MAX_LOOP], depth = 0;
    bool seen[FLOW_MAX_LOOP] = {false};
    if (block == loop->head || block == loop->end)
        return true;
    stack[depth++] = loop->head;
    while (depth) {
        const struct flow_block *from = &flow->blocks[stack[--depth]];
        for (size_t e = 0; e < from->successor_count; e++) {
            size_t t = from->successors[e];
            const size_t *at = bsearch(&t, loop->blocks, loop->count, sizeof t, by_number);
            if (!at || t == block || t == loop->head || seen[at - loop->blocks])
                continue;
            if (t == loop->end)
                return false;
            seen[at - loop->blocks] = true;
            stack[depth++] = t;
        }
    }
    return true;
}

bool flow_leaves_at_once(const struct flow *flow, const struct flow_before *before,
                         const struct flow_loops *loops, size_t b) {
    const struct flow_block *block = &flow->blocks[b];
    if (block->successor_count != 2 || block->first == block->end || !before->reached[b])
        return false;
    const struct flow_node *node = &flow->nodes[block->end - 1];
    const struct flow_loop *left = NULL;
    if (node->kind != FLOW_BRANCH || !node->condition || node->synthetic)
        return false;
    for (size_t i = 0; i < loops->count; i++) {
        const struct flow_loop *loop = &loops->items[i];
        if (!flow_in_loop(loop, b) ||
            (flow_in_loop(loop, block->successors[0]) && flow_in_loop(loop, block->successors[1])))
            continue;
        if (left || loop->end == b)
            return false;
        left = loop;
    }
    return left && flow_in_each_round(flow, left, b) && is_steady(flow, left, node->condition, 0);
}
