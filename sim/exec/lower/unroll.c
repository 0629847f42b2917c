/* Unrolls the loops that ptxas unrolls: lanes that leave such a loop at different times meet at places other
 * than its end, and so have different request counts.
 *
 * ptxas (13.0, -O3) unrolls a loop that counts by a constant to a bound, only loads and computes, and has
 * fewer than 50 PTX instructions; none of its conditions, if any, is part of another.  It becomes:
 *
 *     four     while four rounds or more are left: four rounds
 *     two      if two or more are left: two rounds
 *     one      if one is left: one round
 *
 * Lanes meet before `two`, before `one`, and after the loop.  docs/notes/reconvergence.md explains how this
 * was found.  The result executes the same instructions as the original loop, whatever its numbers: the tests
 * of `four` and `two` hold only if all rounds in between would have continued, and the last round tests as
 * the loop did, and then begins with `four` again. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/loops.h"
#include "sim/exec/lower/slots.h"

enum {
    LIMIT = 50,    /* instructions */
    DIVISION = 20, /* instructions that an integer division counts as */
    LOOP_COPIES = 7,
    LOOP_TESTS = 4,  /* additional blocks, and instructions except for one, in an unrolled loop */
    FIRST_ROUND = 2, /* the block with the first round of `four` */
};

/* A loop's blocks, whose last one has the test, and its nodes except that test. */
struct loop {
    struct flow_counter counter;
    const struct flow_node *latch;
    size_t head, count;
    size_t first, end;
};

/* An instruction's share of the limit; LIMIT: a loop with it is not unrolled. */
static unsigned weight(const struct ptx_instruction *in) {
    return in->row->ptxas & SIM_PTXAS_SHORT ? 1 : in->row->ptxas & SIM_PTXAS_LONG ? DIVISION : LIMIT;
}

/* Whether the operand, or an item of it, is the register. */
static bool names(const struct ptx_operand *operand, const struct ptx_register *reg) {
    for (size_t i = 0; i < operand->item_count; i++)
        if (names(&operand->items[i], reg))
            return true;
    return operand->reg == reg;
}

/* The number of instructions in a loop that write a register; *last is the last of them. */
static size_t find_writers(const struct flow *flow, const struct loop *loop, const struct ptx_register *reg,
                           const struct flow_node **last) {
    size_t count = 0;
    for (size_t n = loop->first; n < loop->end; n++) {
        const struct ptx_instruction *in = flow->nodes[n].in;
        if (!slots_destinations(in) || !names(&in->operands[0], reg))
            continue;
        *last = &flow->nodes[n];
        count++;
    }
    return count;
}

/* The only instruction in a loop that writes a register, in every lane and in its last block; NULL if there
 * is none, or more than one. */
static const struct flow_node *only_writer(const struct flow *flow, const struct loop *loop,
                                           const struct ptx_register *reg) {
    const struct flow_node *last = &flow->nodes[flow->blocks[loop->head + loop->count - 1].first],
                           *writer = NULL;
    return find_writers(flow, loop, reg, &writer) == 1 && !writer->in->guard && writer >= last ? writer
                                                                                               : NULL;
}

/* add.u32 counter, counter, step */
static bool find_step(const struct ptx_instruction *in, const struct ptx_register *reg, int64_t *step) {
    if (!ptx_is(in, "add") || in->operand_count != 3 || in->word_count != 1 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[1].reg != reg ||
        in->operands[1].kind != PTX_OPERAND_REGISTER || in->operands[2].kind != PTX_OPERAND_INTEGER)
        return false;
    const unsigned bytes = ptx_type_bytes(ptx_type_find(in->words[0]));
    *step = bytes == 8 ? (int64_t)in->operands[2].bits : (int32_t)in->operands[2].bits;
    /* Four steps cannot overflow 64 bits. */
    return (bytes == 4 || bytes == 8) && *step && *step > -(INT64_C(1) << 40) && *step < INT64_C(1) << 40;
}

/* The test under which another round follows; false if ptxas does not count by it. */
static bool find_test(const char *word, bool negated, enum flow_test *out) {
    static const struct {
        const char *name;
        enum flow_test test, otherwise;
    } tests[] = {
        {"lt", FLOW_LESS, FLOW_NO_TEST},    {"lo", FLOW_LESS, FLOW_NO_TEST},
        {"ge", FLOW_NO_TEST, FLOW_LESS},    {"hs", FLOW_NO_TEST, FLOW_LESS},
        {"le", FLOW_AT_MOST, FLOW_GREATER}, {"ls", FLOW_AT_MOST, FLOW_GREATER},
        {"gt", FLOW_GREATER, FLOW_AT_MOST}, {"hi", FLOW_GREATER, FLOW_AT_MOST},
        {"ne", FLOW_OTHER, FLOW_NO_TEST},   {"eq", FLOW_NO_TEST, FLOW_OTHER},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(word, tests[i].name) == 0) {
            *out = negated ? tests[i].otherwise : tests[i].test;
            return *out != FLOW_NO_TEST;
        }
    return false;
}

static bool mentions(const struct ptx_instruction *in, const struct ptx_register *reg) {
    bool found = in->guard == reg;
    for (size_t i = 0; i < in->operand_count; i++)
        found |= names(&in->operands[i], reg);
    return found;
}

/* Integers, and untyped words if only equality matters. */
static bool is_counted(enum ptx_type type, enum flow_test test) {
    const bool words = type == PTX_TYPE_B32 || type == PTX_TYPE_B64;
    return type == PTX_TYPE_S32 || type == PTX_TYPE_U32 || type == PTX_TYPE_S64 || type == PTX_TYPE_U64 ||
           (words && test == FLOW_OTHER);
}

static bool find_counter(const struct flow *flow, struct loop *loop) {
    const struct flow_node *latch = loop->latch;
    const struct flow_node *test = only_writer(flow, loop, latch->condition);
    struct flow_counter *out = &loop->counter;
    if (!test || !ptx_is(test->in, "setp") || test->in->operand_count != 3 || test->in->word_count != 2 ||
        test->in->operands[0].kind != PTX_OPERAND_REGISTER ||
        test->in->operands[1].kind != PTX_OPERAND_REGISTER)
        return false;
    const struct ptx_operand *counter = &test->in->operands[1], *bound = &test->in->operands[2];
    const struct flow_node *add = only_writer(flow, loop, counter->reg), *writer = NULL;
    if ((bound->kind != PTX_OPERAND_REGISTER && bound->kind != PTX_OPERAND_INTEGER) ||
        (bound->reg && find_writers(flow, loop, bound->reg, &writer)) || !add || add > test)
        return false;
    *out =
        (struct flow_counter){.reg = counter->reg, .bound = bound, .type = ptx_type_find(test->in->words[1])};
    if (!find_test(test->in->words[0], latch->condition_negated, &out->test) ||
        !find_step(add->in, counter->reg, &out->step))
        return false;
    /* The test must be possible before the first round, when the loop has not computed its condition yet. */
    for (const struct flow_node *node = &flow->nodes[loop->first]; node < test; node++)
        if (mentions(node->in, latch->condition))
            return false;
    const bool up = out->test == FLOW_LESS || out->test == FLOW_AT_MOST, down = out->test == FLOW_GREATER;
    return is_counted(out->type, out->test) &&
           ptx_type_bytes(out->type) == ptx_type_bytes(counter->reg->type) && (!up || out->step > 0) &&
           (!down || out->step < 0);
}

/* Whether the loop consists of consecutive blocks, contains no loops, and is left only by its last branch,
 * and none of its conditions is part of another. */
static bool is_plain(const struct flow *flow, const struct flow_loop *loop) {
    const struct flow_block *last = &flow->blocks[loop->end];
    if (loop->end - loop->head + 1 != loop->count || last->successor_count != 2)
        return false;
    for (size_t b = loop->head; b < loop->end; b++) {
        const struct flow_block *block = &flow->blocks[b];
        for (size_t e = 0; e < block->successor_count; e++)
            if (block->successors[e] <= b || block->successors[e] > loop->end)
                return false;
        if (block->successor_count > 1 && !flow_in_each_round(flow, loop, b))
            return false;
    }
    return true;
}

static unsigned weight_of(const struct flow_node *node) {
    if (node->synthetic)
        return LIMIT;
    return node->kind == FLOW_BRANCH ? 1 : node->kind == FLOW_PLAIN ? weight(node->in) : LIMIT;
}

static bool is_unrolled(const struct flow *flow, const struct flow_loop *loop, struct loop *out) {
    const struct flow_block *head = &flow->blocks[loop->head], *end = &flow->blocks[loop->end];
    if (head->first == head->end || flow->nodes[head->first].in->nounroll || end->first == end->end)
        return false;
    *out = (struct loop){.latch = &flow->nodes[end->end - 1],
                         .head = loop->head,
                         .count = loop->count,
                         .first = head->first,
                         .end = end->end - 1};
    const struct flow_node *latch = out->latch;
    if (latch->kind != FLOW_BRANCH || !latch->condition || latch->synthetic || latch->target != loop->head)
        return false;
    unsigned size = 1;
    for (size_t n = out->first; n < out->end && size < LIMIT; n++)
        size += weight_of(&flow->nodes[n]);
    return size < LIMIT && is_plain(flow, loop) && find_counter(flow, out);
}

/* ---------------------------------------------------------------- the function with unrolled loops */

struct builder {
    const struct flow *from;
    struct flow *to;
    const size_t *moved; /* by block: its new number */
    size_t *edge;
    struct flow_counter *counters;
};

static struct flow_block *begin(struct builder *u) {
    struct flow_block *block = &u->to->blocks[u->to->block_count++];
    block->first = block->end = u->to->node_count;
    block->successors = u->edge;
    return block;
}

static struct flow_node *append(struct builder *u, struct flow_block *block, struct flow_node node) {
    u->to->nodes[u->to->node_count] = node;
    block->end = ++u->to->node_count;
    return &u->to->nodes[u->to->node_count - 1];
}

static void leads_to(struct builder *u, struct flow_block *block, size_t target) {
    *u->edge++ = target;
    block->successor_count++;
}

/* A branch to target where the node's condition holds, and else to the next block. */
static void branch(struct builder *u, struct flow_block *block, struct flow_node node, size_t target) {
    node.kind = FLOW_BRANCH;
    node.target = target;
    append(u, block, node);
    leads_to(u, block, target);
    leads_to(u, block, u->to->block_count);
}

/* Copies the loop's instructions except its branch.  Returns the last block, still without a successor. */
static struct flow_block *copy_round(struct builder *u, const struct loop *loop, size_t first_round) {
    const size_t start = u->to->block_count;
    struct flow_block *block = NULL;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *from = &u->from->blocks[loop->head + i];
        const bool last = i + 1 == loop->count;
        block = begin(u);
        block->copy_of = first_round + i;
        for (size_t n = from->first; n + last < from->end; n++) {
            struct flow_node *node = append(u, block, u->from->nodes[n]);
            if (node->kind == FLOW_BRANCH)
                node->target = start + node->target - loop->head;
        }
        for (size_t e = 0; e < from->successor_count && !last; e++)
            leads_to(u, block, start + from->successors[e] - loop->head);
    }
    return block;
}

/* Copies a round that others follow: its branch is counted but always continues. */
static struct flow_block *copy_passed(struct builder *u, const struct loop *loop, size_t first_round) {
    struct flow_block *block = copy_round(u, loop, first_round);
    struct flow_node node = *loop->latch;
    node.kind = FLOW_PLAIN;
    node.condition = NULL;
    node.unguarded = node.is_passed = true;
    append(u, block, node);
    return block;
}

/* Copies consecutive rounds. */
static void copy_rounds(struct builder *u, const struct loop *loop, size_t first_round, int rounds) {
    for (; rounds > 0; rounds--) {
        struct flow_block *block = copy_passed(u, loop, first_round);
        leads_to(u, block, u->to->block_count);
    }
}

/* A block that has only tests, for the loop's branch. */
static struct flow_block *begin_test(struct builder *u, const struct loop *loop, size_t first_round) {
    struct flow_block *block = begin(u);
    block->copy_of = first_round + loop->count - 1;
    return block;
}

static void unroll(struct builder *u, const struct loop *loop) {
    struct flow_node latch = *loop->latch, leaves = latch, test = latch;
    leaves.condition_negated = !latch.condition_negated;
    struct flow_counter *counter = u->counters++;
    *counter = loop->counter;
    test.synthetic = true;
    test.condition = NULL;
    test.counter = counter;
    const size_t m = loop->count, first = u->to->block_count, four = first + 1, round = first + FIRST_ROUND,
                 two = round + 4 * m, one = two + 1 + 2 * m, behind = one + 1 + m;
    /* Lanes that come here run at least one round. */
    struct flow_block *enters = begin_test(u, loop, round);
    struct flow_node *enter = append(u, enters, latch);
    enter->kind = FLOW_PLAIN;
    enter->synthetic = enter->unguarded = enter->is_entered = true;
    leads_to(u, enters, four);
    test.rounds = 4;
    test.condition_negated = true;
    branch(u, begin_test(u, loop, round), test, two);
    copy_rounds(u, loop, round, 3);
    test.condition_negated = false;
    branch(u, copy_passed(u, loop, round), test, round);
    test.rounds = 2;
    test.condition_negated = true;
    branch(u, begin_test(u, loop, round), test, one);
    copy_rounds(u, loop, round, 2);
    leaves.synthetic = true;
    branch(u, begin_test(u, loop, round), leaves, behind);
    branch(u, copy_round(u, loop, round), latch, four);
}

static void copy(struct builder *u, const struct flow_block *from) {
    struct flow_block *block = begin(u);
    block->is_join = from->is_join;
    for (size_t n = from->first; n < from->end; n++) {
        struct flow_node *node = append(u, block, u->from->nodes[n]);
        if (node->kind == FLOW_BRANCH)
            node->target = u->moved[node->target];
    }
    for (size_t s = 0; s < from->successor_count; s++)
        leads_to(u, block, u->moved[from->successors[s]]);
}

/* loops: those to unroll, sorted by their heads. */
static bool rebuild(const struct ptx_function *function, struct flow *flow, const struct loop *loops,
                    size_t count) {
    size_t *moved = malloc(flow->block_count * sizeof *moved), edges = 1, copied = 0, blocks = 0;
    struct flow made = {.returns = flow->returns};
    for (size_t b = 0, l = 0; moved && b < flow->block_count; b++) {
        const struct loop *loop = l < count && b >= loops[l].head ? &loops[l] : NULL;
        moved[b] = blocks;
        edges += (loop ? LOOP_COPIES : 1) * flow->blocks[b].successor_count;
        if (!loop) {
            blocks++;
        } else if (b + 1 == loop->head + loop->count) {
            blocks += LOOP_TESTS + LOOP_COPIES * loop->count;
            copied += LOOP_TESTS + 1 + LOOP_COPIES * (loop->end - loop->first + 1);
            edges += 2 * (LOOP_TESTS + LOOP_COPIES);
            l++;
        }
    }
    made.nodes = calloc(flow->node_count + copied + 1, sizeof *made.nodes);
    made.blocks = calloc(blocks + 1, sizeof *made.blocks);
    made.storage = malloc(edges * sizeof *made.storage);
    made.counters = malloc(count * sizeof *made.counters);
    bool ok = moved && made.nodes && made.blocks && made.storage && made.counters;
    if (ok) {
        struct builder u = {
            .from = flow, .to = &made, .moved = moved, .edge = made.storage, .counters = made.counters};
        for (size_t b = 0, l = 0; b < flow->block_count; b++)
            if (l < count && b == loops[l].head) {
                b += loops[l].count - 1;
                unroll(&u, &loops[l++]);
            } else {
                copy(&u, &flow->blocks[b]);
            }
        for (size_t i = 0; i < function->label_count; i++)
            if (!function->labels[i]->is_list)
                flow->label_blocks[i] = moved[flow->label_blocks[i]];
        made.label_blocks = flow->label_blocks;
        free(flow->nodes), free(flow->blocks), free(flow->storage);
        *flow = made;
    } else {
        free(made.nodes), free(made.blocks), free(made.storage), free(made.counters);
    }
    free(moved);
    return ok;
}

static int by_head(const void *a, const void *b) {
    const struct loop *p = a, *q = b;
    return (p->head > q->head) - (p->head < q->head);
}

bool flow_unroll(const struct ptx_function *function, struct flow *flow) {
    if (function->nounroll)
        return true;
    struct flow_before before = {0};
    struct flow_loops loops = {0};
    bool ok = flow_find_before(flow, &before) && flow_find_loops(flow, &before, &loops);
    struct loop *unrolled = ok ? malloc((loops.count + 1) * sizeof *unrolled) : NULL;
    size_t count = 0;
    ok = unrolled != NULL;
    for (size_t i = 0; ok && i < loops.count; i++)
        count += is_unrolled(flow, &loops.items[i], &unrolled[count]);
    if (ok && count) {
        qsort(unrolled, count, sizeof *unrolled, by_head);
        ok = rebuild(function, flow, unrolled, count);
    }
    free(unrolled);
    flow_before_free(&before), flow_loops_free(&loops);
    return ok;
}
