/* Instructions whose counts depend on values that other threads write concurrently: results of atomics, and
 * memory that a loop reads again until it has changed. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/doubt.h"
#include "sim/exec/lower/slots.h"
#include "sim/exec/sim.h"

enum {
    ORDERED = 1, /* an atomic's old value */
    AWAITED = 2, /* what other threads may change during a loop */
    SHARED = 4,  /* what threads of the block may change, unless the loop has a barrier */
    ARRAY = 8,   /* an address in local memory */
};

/* The largest array, in bytes, that ptxas was seen to keep in registers. */
enum { MOST_KEPT = 128 };

struct values {
    const struct ptx_function *function;
    uint8_t *of;       /* by register: bits */
    uint64_t *from;    /* by register: kernel parameters that its address may come from, modulo 64 */
    uint64_t *written; /* by instruction: what the loops around it store to */
    bool shared;       /* ordered values are stored in shared memory */
};

static uint8_t bits_of(const struct values *v, const struct ptx_operand *operand) {
    uint8_t bits = operand->reg ? v->of[operand->reg->index] : 0;
    if (operand->variable && operand->variable->space == PTX_SPACE_LOCAL)
        bits |= ARRAY;
    for (size_t i = 0; i < operand->item_count; i++)
        bits |= bits_of(v, &operand->items[i]);
    return bits;
}

static uint64_t origin_of(const struct values *v, const struct ptx_operand *operand) {
    uint64_t from = operand->reg ? v->from[operand->reg->index] : 0;
    for (size_t i = 0; i < operand->item_count; i++)
        from |= origin_of(v, &operand->items[i]);
    return from;
}

static bool set_bits(struct values *v, const struct ptx_operand *operand, uint8_t bits, uint64_t from) {
    bool changed = false;
    for (size_t i = 0; i < operand->item_count; i++)
        changed |= set_bits(v, &operand->items[i], bits, from);
    if (!operand->reg)
        return changed;
    uint32_t r = operand->reg->index;
    changed |= (v->of[r] | bits) != v->of[r] || (v->from[r] | from) != v->from[r];
    v->of[r] |= bits;
    v->from[r] |= from;
    return changed;
}

static bool is_load(const struct ptx_instruction *in) {
    return ptx_is(in, "ld") || ptx_is(in, "ldu");
}

static bool is_private(const struct ptx_instruction *in) {
    return ptx_has_word(in, "param") || ptx_has_word(in, "local") || ptx_has_word(in, "const");
}

/* Loads that programs use to see what other threads have written. */
static bool is_strong(const struct ptx_instruction *in) {
    return ptx_has_word(in, "volatile") || ptx_has_word(in, "relaxed") || ptx_has_word(in, "acquire");
}

/* The operand with the address of a memory instruction; NULL for other instructions. */
static const struct ptx_operand *address_of(const struct ptx_instruction *in) {
    size_t at = ptx_is(in, "st") || ptx_is(in, "red") ? 0 : is_load(in) || ptx_is(in, "atom") ? 1 : SIZE_MAX;
    return at < in->operand_count && !ptx_has_word(in, "param") ? &in->operands[at] : NULL;
}

static bool load_result(struct values *v, size_t i, const struct ptx_instruction *in) {
    const struct ptx_operand *address = &in->operands[1];
    uint8_t bits = 0;
    uint64_t from = 0;
    if (ptx_has_word(in, "param") && address->variable)
        from = UINT64_C(1) << (address->variable->user / 8 % 64);
    else if (!is_private(in)) {
        bits = bits_of(v, address) & (uint8_t)~ARRAY;
        if (v->shared && ptx_has_word(in, "shared"))
            bits |= ORDERED;
        if (is_strong(in) && ptx_has_word(in, "shared"))
            bits |= SHARED;
        else if (is_strong(in) || (!ptx_has_word(in, "nc") && (origin_of(v, address) & v->written[i])))
            bits |= AWAITED;
    }
    return set_bits(v, &in->operands[0], bits, from);
}

static bool result(struct values *v, size_t i, const struct ptx_instruction *in) {
    bool changed = false;
    uint8_t bits = in->guard ? v->of[in->guard->index] : 0;
    uint64_t from = 0;
    if (ptx_is(in, "st") && ptx_has_word(in, "shared") && in->operand_count > 1 && !v->shared &&
        (bits_of(v, &in->operands[1]) & ORDERED))
        changed = v->shared = true;
    if (!slots_destinations(in))
        return changed;
    if (is_load(in) && in->operand_count > 1)
        return load_result(v, i, in) || changed;
    for (size_t o = 1; o < in->operand_count; o++) {
        bits |= bits_of(v, &in->operands[o]);
        from |= origin_of(v, &in->operands[o]);
    }
    if (ptx_is(in, "atom")) {
        bits |= ptx_has_word(in, "cas") ? ORDERED | AWAITED : ORDERED;
        from = 0;
    }
    return set_bits(v, &in->operands[0], bits, from) || changed;
}

static void spread(struct values *v) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < v->function->instruction_count; i++)
            changed |= result(v, i, &v->function->instructions[i]);
    }
}

static const struct ptx_instruction *instruction(const struct flow *flow, size_t node) {
    return flow->nodes[node].in;
}

/* Finds what each loop's instructions store to. */
static void find_written(struct values *v, const struct flow *flow, const struct flow_loops *loops) {
    for (size_t l = 0; l < loops->count; l++) {
        const struct flow_loop *loop = &loops->items[l];
        uint64_t to = 0;
        for (int round = 0; round < 2; round++)
            for (size_t i = 0; i < loop->count; i++) {
                const struct flow_block *b = &flow->blocks[loop->blocks[i]];
                for (size_t n = b->first; n < b->end; n++) {
                    const struct ptx_instruction *in = instruction(flow, n);
                    if (round)
                        v->written[in - v->function->instructions] |= to;
                    else if (ptx_is(in, "st") && address_of(in) && !is_private(in) &&
                             !ptx_has_word(in, "shared"))
                        to |= origin_of(v, address_of(in));
                }
            }
    }
}

/* Whether the block's threads wait for each other in the loop, and so take turns with its shared memory. */
static bool has_barrier(const struct flow *flow, const struct flow_loop *loop) {
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *b = &flow->blocks[loop->blocks[i]];
        for (size_t n = b->first; n < b->end; n++) {
            const struct ptx_instruction *in = instruction(flow, n);
            if ((ptx_is(in, "bar") || ptx_is(in, "barrier")) && !ptx_has_word(in, "warp") &&
                !ptx_has_word(in, "arrive"))
                return true;
        }
    }
    return false;
}

/* Whether data that others may change decides when the loop ends. */
static bool awaits(const struct values *v, const struct flow *flow, const struct flow_loop *loop) {
    const uint8_t awaited = has_barrier(flow, loop) ? AWAITED : AWAITED | SHARED;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *b = &flow->blocks[loop->blocks[i]];
        const struct flow_node *node = b->end > b->first ? &flow->nodes[b->end - 1] : NULL;
        bool leaves = false;
        for (size_t e = 0; e < b->successor_count; e++)
            leaves |= !flow_in_loop(loop, b->successors[e]);
        if (leaves && node->condition && (v->of[node->condition->index] & awaited))
            return true;
    }
    return false;
}

static void mark_loops(const struct values *v, const struct flow *flow, const struct flow_loops *loops,
                       uint16_t *of) {
    for (size_t l = 0; l < loops->count; l++) {
        const struct flow_loop *loop = &loops->items[l];
        if (!awaits(v, flow, loop))
            continue;
        for (size_t i = 0; i < loop->count; i++) {
            const struct flow_block *b = &flow->blocks[loop->blocks[i]];
            for (size_t n = b->first; n < b->end; n++)
                of[instruction(flow, n) - v->function->instructions] |= SIM_DOUBT_TURNS;
        }
    }
}

/* A call of a function that is known only at run time, or a recursive call. */
static uint16_t call_doubts(const struct ptx_function *function, const struct ptx_instruction *in) {
    const struct ptx_function *callee = NULL;
    for (size_t o = 0; o < in->operand_count && !callee; o++)
        callee = in->operands[o].function;
    if (!callee || callee == function)
        return SIM_DOUBT_CALLS;
    if (strcmp(callee->name, "malloc") == 0 || strcmp(callee->name, "free") == 0)
        return SIM_DOUBT_HEAP;
    return 0;
}

/* Whether ptxas may keep the function's arrays in registers: they are small, and their address is private. */
static bool may_keep_arrays(const struct values *v) {
    const struct ptx_function *f = v->function;
    size_t bytes = 0;
    for (size_t i = 0; i < f->variable_count; i++)
        bytes += f->variables[i]->space == PTX_SPACE_LOCAL ? f->variables[i]->size : 0;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (ptx_is(in, "st") && in->operand_count > 1 && (bits_of(v, &in->operands[1]) & ARRAY))
            return false;
    }
    return bytes <= MOST_KEPT;
}

static uint16_t kind_doubts(const struct ptx_function *function, const struct ptx_instruction *in) {
    if ((ptx_is(in, "cp") && ptx_has_word(in, "async") && !ptx_has_word(in, "bulk")) ||
        ptx_is(in, "ldmatrix") || ptx_is(in, "stmatrix"))
        return SIM_DOUBT_KIND;
    return ptx_is(in, "call") ? call_doubts(function, in) : 0;
}

bool doubts_of_values(const struct ptx_function *function, const struct flow *flow,
                      const struct flow_loops *loops, struct doubts *out) {
    struct values v = {.function = function,
                       .of = calloc(function->register_count + 1, sizeof *v.of),
                       .from = calloc(function->register_count + 1, sizeof *v.from),
                       .written = calloc(function->instruction_count + 1, sizeof *v.written)};
    bool ok = v.of && v.from && v.written;
    if (ok) {
        spread(&v);
        find_written(&v, flow, loops);
        spread(&v);
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct ptx_instruction *in = &function->instructions[i];
            const struct ptx_operand *address = address_of(in);
            out->of[i] |= kind_doubts(function, in);
            if (address && (bits_of(&v, address) & ORDERED))
                out->of[i] |= SIM_DOUBT_ORDER;
        }
        mark_loops(&v, flow, loops, out->of);
        out->arrays = may_keep_arrays(&v);
    }
    free(v.of), free(v.from), free(v.written);
    return ok;
}
