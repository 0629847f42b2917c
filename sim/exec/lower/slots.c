#include "sim/exec/lower/slots.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/instructions.h"

enum sim_slot slots_class(enum ptx_type type) {
    if (type == PTX_TYPE_PRED)
        return SIM_PRED;
    return ptx_type_bytes(type) == 8 ? SIM_64 : SIM_32;
}

static const uint32_t slot_bytes[] = {[SIM_PRED] = 4, [SIM_32] = 4 * SIM_LANES, [SIM_64] = 8 * SIM_LANES};

size_t slots_destinations(const struct ptx_instruction *in) {
    return in->operand_count && in->row->result != SIM_RESULT_NONE;
}

/* An instruction that writes a register before it has read the last source for every lane: the destination
 * must not share a source's slot. */
static bool writes_early(const struct ptx_instruction *in) {
    return in->row->result == SIM_RESULT_EARLY || in->operands[0].kind == PTX_OPERAND_PAIR ||
           in->operands[0].kind == PTX_OPERAND_VECTOR;
}

struct interval {
    size_t start, end; /* 2 i: read by node i; 2 i + 1: written by it */
};

struct allocation {
    const struct ptx_function *function;
    const struct flow *flow;
    struct interval *intervals;
    uint64_t *use, *def, *in; /* one bit per register, words_per words per block */
    size_t words;
};

typedef void visit_fn(struct allocation *a, const struct ptx_register *reg, bool written, size_t position,
                      size_t block);

static void visit_operand(struct allocation *a, const struct ptx_operand *operand, bool written,
                          size_t position, size_t block, visit_fn *visit) {
    for (size_t i = 0; i < operand->item_count; i++)
        visit_operand(a, &operand->items[i], written, position, block, visit);
    if (operand->reg)
        visit(a, operand->reg, written && operand->kind == PTX_OPERAND_REGISTER, position, block);
}

static void visit_node(struct allocation *a, size_t n, size_t block, visit_fn *visit) {
    const struct flow_node *node = &a->flow->nodes[n];
    const struct ptx_instruction *in = node->in;
    if (node->condition)
        visit(a, node->condition, node->is_entered, 2 * n + node->is_entered, block);
    if (node->counter) {
        visit(a, node->counter->reg, false, 2 * n, block);
        visit_operand(a, node->counter->bound, false, 2 * n, block, visit);
    }
    if (node->synthetic)
        return;
    size_t written = slots_destinations(in);
    bool guarded = in->guard && !node->unguarded && node->kind == FLOW_PLAIN;
    if (guarded)
        visit(a, in->guard, false, 2 * n, block);
    for (size_t i = written; i < in->operand_count; i++)
        visit_operand(a, &in->operands[i], false, 2 * n, block, visit);
    if (written) {
        /* Lanes that the guard masks out keep the old value, so it must still be there. */
        if (guarded)
            visit_operand(a, &in->operands[0], false, 2 * n, block, visit);
        visit_operand(a, &in->operands[0], true, writes_early(in) ? 2 * n : 2 * n + 1, block, visit);
    }
}

static void note_liveness(struct allocation *a, const struct ptx_register *reg, bool written, size_t position,
                          size_t block) {
    (void)position;
    uint64_t bit = 1ull << (reg->index % 64);
    size_t word = block * a->words + reg->index / 64;
    if (written)
        a->def[word] |= bit;
    else if (!(a->def[word] & bit))
        a->use[word] |= bit;
}

static void extend(struct allocation *a, uint32_t reg, size_t position) {
    struct interval *interval = &a->intervals[reg];
    if (position < interval->start)
        interval->start = position;
    if (position > interval->end)
        interval->end = position;
}

static void note_interval(struct allocation *a, const struct ptx_register *reg, bool written, size_t position,
                          size_t block) {
    (void)written, (void)block;
    extend(a, reg->index, position);
}

static void live_out(const struct allocation *a, size_t block, uint64_t *out) {
    const struct flow_block *b = &a->flow->blocks[block];
    memset(out, 0, a->words * sizeof *out);
    for (size_t s = 0; s < b->successor_count; s++)
        for (size_t w = 0; w < a->words; w++)
            out[w] |= a->in[b->successors[s] * a->words + w];
}

static void solve_liveness(struct allocation *a, uint64_t *out) {
    size_t blocks = a->flow->block_count;
    for (size_t b = 0; b < blocks; b++)
        for (size_t n = a->flow->blocks[b].first; n < a->flow->blocks[b].end; n++)
            visit_node(a, n, b, note_liveness);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = blocks; b-- > 0;) {
            live_out(a, b, out);
            for (size_t w = 0; w < a->words; w++) {
                size_t at = b * a->words + w;
                uint64_t in = a->use[at] | (out[w] & ~a->def[at]);
                changed |= in != a->in[at];
                a->in[at] = in;
            }
        }
    }
}

static void build_intervals(struct allocation *a, uint64_t *out) {
    for (size_t b = 0; b < a->flow->block_count; b++) {
        const struct flow_block *block = &a->flow->blocks[b];
        if (block->first == block->end)
            continue;
        live_out(a, b, out);
        for (size_t r = 0; r < a->function->register_count; r++) {
            if (a->in[b * a->words + r / 64] >> (r % 64) & 1)
                extend(a, (uint32_t)r, 2 * block->first);
            if (out[r / 64] >> (r % 64) & 1)
                extend(a, (uint32_t)r, 2 * block->end - 1);
        }
        for (size_t n = block->first; n < block->end; n++)
            visit_node(a, n, b, note_interval);
    }
}

struct by_position {
    size_t position;
    uint32_t reg;
};

static int compare_positions(const void *x, const void *y) {
    const struct by_position *a = x, *b = y;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (a->reg > b->reg) - (a->reg < b->reg);
}

/* Walks the intervals by start, and frees the slots of those that have ended. */
static void scan(const struct allocation *a, struct by_position *starts, struct by_position *ends, size_t n,
                 uint32_t *free_list[], uint32_t *slot, uint32_t made[], unsigned *peak) {
    size_t free_count[4] = {0}, ended = 0;
    unsigned words = 0;
    for (size_t i = 0; i < n; i++) {
        for (; ended < n && ends[ended].position < starts[i].position; ended++) {
            uint32_t reg = ends[ended].reg;
            enum sim_slot class = slots_class(a->function->registers[reg]->type);
            free_list[class][free_count[class]++] = slot[reg];
            words -= class == SIM_64 ? 2 : class == SIM_32 ? 1 : 0;
        }
        uint32_t reg = starts[i].reg;
        enum sim_slot class = slots_class(a->function->registers[reg]->type);
        slot[reg] = free_count[class] ? free_list[class][--free_count[class]] : made[class]++;
        words += class == SIM_64 ? 2 : class == SIM_32 ? 1 : 0;
        if (words > *peak)
            *peak = words;
    }
}

static bool assign(const struct allocation *a, struct slots *out) {
    size_t count = a->function->register_count, n = 0;
    struct by_position *starts = malloc((count + 1) * sizeof *starts);
    struct by_position *ends = malloc((count + 1) * sizeof *ends);
    uint32_t *slot = malloc((count + 1) * sizeof *slot);
    uint32_t *free_storage = malloc((3 * count + 1) * sizeof *free_storage);
    out->zero = malloc((2 * count + 2) * sizeof *out->zero);
    bool ok = starts && ends && slot && free_storage && out->zero;
    if (ok) {
        for (uint32_t r = 0; r < count; r++)
            if (a->intervals[r].start != SIZE_MAX) {
                starts[n] = (struct by_position){a->intervals[r].start, r};
                ends[n++] = (struct by_position){a->intervals[r].end, r};
            }
        qsort(starts, n, sizeof *starts, compare_positions);
        qsort(ends, n, sizeof *ends, compare_positions);
        uint32_t *free_list[4] = {NULL, free_storage, free_storage + count, free_storage + 2 * count};
        uint32_t made[4] = {0};
        scan(a, starts, ends, n, free_list, slot, made, &out->peak_words);
        uint32_t base[4] = {0};
        base[SIM_32] = made[SIM_64] * slot_bytes[SIM_64];
        base[SIM_PRED] = base[SIM_32] + made[SIM_32] * slot_bytes[SIM_32];
        out->frame_bytes = (base[SIM_PRED] + made[SIM_PRED] * slot_bytes[SIM_PRED] + 63) & ~63u;
        for (uint32_t r = 0; r < count; r++) {
            enum sim_slot class = slots_class(a->function->registers[r]->type);
            bool used = a->intervals[r].start != SIZE_MAX;
            out->of_register[r] = used ? (int32_t)(base[class] + slot[r] * slot_bytes[class]) : -1;
            if (used && a->in[r / 64] >> (r % 64) & 1) {
                out->zero[2 * out->zero_count] = (uint32_t)out->of_register[r];
                out->zero[2 * out->zero_count++ + 1] = slot_bytes[class];
            }
        }
    }
    free(starts), free(ends), free(slot), free(free_storage);
    return ok;
}

bool slots_assign(const struct ptx_function *function, const struct flow *flow, struct slots *out) {
    *out = (struct slots){0};
    size_t registers = function->register_count;
    struct allocation a = {.function = function, .flow = flow, .words = registers / 64 + 1};
    size_t bits = flow->block_count * a.words;
    uint64_t *scratch = malloc(a.words * sizeof *scratch);
    a.use = calloc(bits, sizeof *a.use);
    a.def = calloc(bits, sizeof *a.def);
    a.in = calloc(bits, sizeof *a.in);
    a.intervals = malloc((registers + 1) * sizeof *a.intervals);
    out->of_register = malloc((registers + 1) * sizeof *out->of_register);
    bool ok = scratch && a.use && a.def && a.in && a.intervals && out->of_register;
    if (ok) {
        for (size_t r = 0; r < registers; r++)
            a.intervals[r] = (struct interval){SIZE_MAX, 0};
        solve_liveness(&a, scratch);
        build_intervals(&a, scratch);
        ok = assign(&a, out);
    }
    free(scratch), free(a.use), free(a.def), free(a.in), free(a.intervals);
    if (!ok)
        slots_free(out);
    return ok;
}

void slots_free(struct slots *slots) {
    free(slots->of_register);
    free(slots->zero);
    *slots = (struct slots){0};
}
