/* Accesses that depend on data whose contents depend on the order of threads: atomics' old values, and places
 * that one block reads while another may write them.  Such data stays in memory until a later launch uses it
 * as a condition or an address.  Memory is identified by the kernel parameter that points to it. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/doubt.h"
#include "sim/exec/lower/slots.h"
#include "sim/exec/worker.h"

/* Bits: one per parameter, for its memory's contents; one for the launch's own order, one for the block. */
enum { PARAMETERS = 62 };
#define ORDER  (UINT64_C(1) << 62)
#define BLOCK  (UINT64_C(1) << 63)
#define OTHERS (~(ORDER | BLOCK))

#define MAX_STEPS (1u << 20) /* limit on blocks visited to find what branches decide */

struct value {
    uint64_t reads; /* bits of its sources */
    uint64_t from;  /* parameters whose address it may hold */
};

struct search {
    const struct ptx_function *function;
    const struct flow *flow;
    struct value *of;              /* by register */
    uint64_t *control, *spread;    /* by block: sources that decide whether it runs; its branch's, as
                                      propagated */
    uint64_t contents[PARAMETERS]; /* by parameter: sources of what was stored there */
    uint64_t shared, local;        /* and in these spaces */
    size_t *stack;
    bool *seen;
    unsigned steps;
    bool changed;
};

static uint64_t parameter(uint64_t offset) {
    return UINT64_C(1) << (offset / 8 % PARAMETERS);
}

static struct value value_of(const struct search *s, const struct ptx_operand *operand) {
    struct value value = operand->reg ? s->of[operand->reg->index] : (struct value){0};
    if (operand->kind == PTX_OPERAND_SPECIAL && strstr(operand->name, "ctaid") && operand->name[1] != 'n')
        value.reads |= BLOCK;
    for (size_t i = 0; i < operand->item_count; i++) {
        const struct value item = value_of(s, &operand->items[i]);
        value.reads |= item.reads;
        value.from |= item.from;
    }
    return value;
}

static void set(struct search *s, const struct ptx_operand *operand, struct value value) {
    for (size_t i = 0; i < operand->item_count; i++)
        set(s, &operand->items[i], value);
    if (!operand->reg)
        return;
    struct value *to = &s->of[operand->reg->index];
    s->changed |= (value.reads & ~to->reads) || (value.from & ~to->from);
    to->reads |= value.reads;
    to->from |= value.from;
}

static void add(struct search *s, uint64_t *to, uint64_t bits) {
    s->changed |= (bits & ~*to) != 0;
    *to |= bits;
}

/* The address of a load, a store or an atomic; NULL for other instructions, or if its memory is not
 * tracked. */
static const struct ptx_operand *address_of(const struct ptx_instruction *in) {
    const size_t at = ptx_is(in, "st") || ptx_is(in, "red")    ? 0
                      : ptx_is(in, "ld") || ptx_is(in, "atom") ? 1
                                                               : SIZE_MAX;
    return at < in->operand_count && in->operand_count > 1 && !ptx_has_word(in, "param") &&
                   !ptx_has_word(in, "const")
               ? &in->operands[at]
               : NULL;
}

/* The sources that decide whether the instruction runs, and on which lanes. */
static uint64_t control_of(const struct search *s, size_t block, const struct ptx_instruction *in) {
    return s->control[block] | (in->guard ? s->of[in->guard->index].reads : 0);
}

static struct value load(const struct search *s, const struct ptx_instruction *in) {
    const struct ptx_operand *address = &in->operands[1];
    struct value value = value_of(s, address), result = {.reads = value.reads};
    if (ptx_has_word(in, "param")) {
        if (address->variable)
            result.from = parameter(address->variable->user + (uint64_t)address->offset);
    } else if (ptx_has_word(in, "shared")) {
        result.reads |= s->shared;
    } else if (ptx_has_word(in, "local")) {
        result.reads |= s->local;
    } else {
        result.reads |= value.from;
        for (unsigned p = 0; p < PARAMETERS; p++)
            result.reads |= value.from >> p & 1 ? s->contents[p] : 0;
    }
    return result;
}

static void store(struct search *s, const struct ptx_instruction *in, uint64_t control) {
    const struct value to = value_of(s, &in->operands[0]), what = value_of(s, &in->operands[1]);
    const uint64_t reads = to.reads | what.reads | (control & OTHERS);
    if (ptx_has_word(in, "shared"))
        add(s, &s->shared, reads);
    else if (ptx_has_word(in, "local"))
        add(s, &s->local, reads);
    else
        for (unsigned p = 0; p < PARAMETERS; p++)
            if (to.from >> p & 1)
                add(s, &s->contents[p], reads);
}

static void follow(struct search *s, size_t block, const struct ptx_instruction *in) {
    const uint64_t control = control_of(s, block, in);
    if (ptx_is(in, "st") && address_of(in))
        store(s, in, control);
    if (!slots_destinations(in))
        return;
    struct value result = {0};
    if (ptx_is(in, "ld") && in->operand_count > 1) {
        result = load(s, in);
    } else {
        for (size_t o = 1; o < in->operand_count; o++) {
            const struct value value = value_of(s, &in->operands[o]);
            result.reads |= value.reads;
            result.from |= value.from;
        }
        if (ptx_is(in, "atom"))
            result = (struct value){.reads = result.reads | ORDER};
    }
    result.reads |= control & ~ORDER;
    set(s, &in->operands[0], result);
}

/* The sources of the block's branch decide about all blocks that its lanes come to before they meet. */
static void follow_branch(struct search *s, size_t branch) {
    const struct flow_block *b = &s->flow->blocks[branch];
    if (b->successor_count < 2)
        return;
    const struct flow_node *node = &s->flow->nodes[b->end - 1];
    uint64_t asks = node->condition ? s->of[node->condition->index].reads : 0;
    if (node->kind == FLOW_SWITCH && node->in->operand_count)
        asks |= value_of(s, &node->in->operands[0]).reads;
    if (!(asks & ~s->spread[branch]))
        return;
    s->spread[branch] |= asks;
    size_t depth = 0, count = 0, *const found = s->stack + s->flow->block_count;
    s->stack[depth++] = branch;
    while (depth) {
        const struct flow_block *at = &s->flow->blocks[s->stack[--depth]];
        for (size_t e = 0; e < at->successor_count && s->steps < MAX_STEPS; e++) {
            const size_t to = at->successors[e];
            if (to == b->ipdom || s->seen[to])
                continue;
            s->steps++;
            s->seen[to] = true;
            s->stack[depth++] = found[count++] = to;
        }
    }
    for (size_t i = 0; i < count; i++) {
        s->seen[found[i]] = false;
        add(s, &s->control[found[i]], asks);
    }
}

static void follow_all(struct search *s) {
    do {
        s->changed = false;
        for (size_t b = 0; b < s->flow->block_count; b++) {
            const struct flow_block *block = &s->flow->blocks[b];
            for (size_t n = block->first; n < block->end; n++)
                follow(s, b, s->flow->nodes[n].in);
            if (block->end > block->first)
                follow_branch(s, b);
        }
    } while (s->changed);
}

static void note_accesses(const struct search *s, struct handed *out) {
    uint64_t raced = 0, written = 0;
    for (size_t b = 0; b < s->flow->block_count; b++)
        for (size_t n = s->flow->blocks[b].first; n < s->flow->blocks[b].end; n++) {
            const struct ptx_instruction *in = s->flow->nodes[n].in;
            const struct ptx_operand *address = address_of(in);
            if (!address)
                continue;
            const struct value to = value_of(s, address);
            const uint64_t control = control_of(s, b, in);
            struct handed_access *access = &out->of[in - s->function->instructions];
            access->reads |= (to.reads | control) & OTHERS;
            if (ptx_has_word(in, "shared") || ptx_has_word(in, "local"))
                continue;
            if (ptx_is(in, "st")) {
                access->to |= to.from;
                access->leaves |= to.reads | value_of(s, &in->operands[1]).reads | (control & OTHERS);
                written |= to.from;
            }
            if (ptx_is(in, "ld") && !((to.reads | control) & BLOCK))
                raced |= to.from;
        }
    out->raced = raced & written;
}

bool handed_find(const struct ptx_function *function, const struct flow *flow, struct handed *out) {
    *out = (struct handed){0};
    if (!function->entry)
        return true;
    const size_t blocks = flow->block_count + 1;
    struct search s = {.function = function,
                       .flow = flow,
                       .of = calloc(function->register_count + 1, sizeof *s.of),
                       .control = calloc(blocks, sizeof *s.control),
                       .spread = calloc(blocks, sizeof *s.spread),
                       .stack = malloc(2 * blocks * sizeof *s.stack),
                       .seen = calloc(blocks, sizeof *s.seen)};
    out->of = calloc(function->instruction_count + 1, sizeof *out->of);
    const bool ok = s.of && s.control && s.spread && s.stack && s.seen && out->of;
    if (ok) {
        follow_all(&s);
        note_accesses(&s, out);
    }
    free(s.of), free(s.control), free(s.spread), free(s.stack), free(s.seen);
    return ok;
}

/* ---------------------------------------------------------------- launches */

static size_t word_count(const struct sim_launch *launch) {
    return launch->function->param_bytes / 8;
}

static uint64_t word(const struct sim_launch *launch, size_t i) {
    uint64_t value;
    memcpy(&value, (const char *)launch->params + 8 * i, sizeof value);
    return value;
}

uint64_t handed_to(const struct sim_launch *launch) {
    const struct handed *handed = &launch->function->code->doubts.handed;
    uint64_t bits = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] > 1 ? handed->raced : 0;
    for (size_t i = 0; i < word_count(launch); i++)
        if (sim_memory_ordered(launch->memory, word(launch, i)))
            bits |= parameter(8 * i);
    return bits;
}

void handed_on(const struct sim_launch *launch, size_t instruction, uint64_t handed) {
    const struct handed_access *access = &launch->function->code->doubts.handed.of[instruction];
    if (!(access->leaves & (handed | ORDER)))
        return;
    for (size_t i = 0; i < word_count(launch); i++)
        if (access->to & parameter(8 * i))
            sim_memory_set_ordered(launch->memory, word(launch, i));
}
