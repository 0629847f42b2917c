#include "sim/exec/merge.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/slots.h"

#define WINDOW 256 /* loads looked at together: far more than ptxas keeps in registers */

/* ---------------------------------------------------------------- what is known of a register's low bits */

static unsigned low_zeros(uint64_t value) {
    return value ? (unsigned)__builtin_ctzll(value) : 64;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* How many low bits of an operand are zero in every lane, given what is known of the registers. */
static unsigned operand_zeros(const struct ptx_operand *operand, const uint8_t *zeros) {
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return zeros[operand->reg->index];
    case PTX_OPERAND_INTEGER:
        return low_zeros(operand->bits);
    case PTX_OPERAND_VARIABLE:
        return low_zeros(operand->variable->user + (uint64_t)operand->offset);
    default:
        return 0;
    }
}

static unsigned result_zeros(const struct ptx_instruction *in, const uint8_t *zeros) {
    const struct ptx_operand *o = in->operands;
    if (in->guard || in->operand_count < 2)
        return 0;
    if (strcmp(in->name, "mov") == 0 || strcmp(in->name, "cvt") == 0 || strcmp(in->name, "cvta") == 0)
        return o[1].kind == PTX_OPERAND_VECTOR ? 0 : operand_zeros(&o[1], zeros);
    if (in->operand_count < 3)
        return 0;
    unsigned a = operand_zeros(&o[1], zeros), b = operand_zeros(&o[2], zeros);
    if (strcmp(in->name, "add") == 0 || strcmp(in->name, "sub") == 0 || strcmp(in->name, "or") == 0)
        return least(a, b);
    if (strcmp(in->name, "and") == 0)
        return a > b ? a : b;
    if (strcmp(in->name, "shl") == 0)
        return o[2].kind == PTX_OPERAND_INTEGER && o[2].bits < 32 ? least(a + (unsigned)o[2].bits, 64) : a;
    if (strcmp(in->name, "mul") == 0)
        return ptx_has_word(in, "hi") ? 0 : least(a + b, 64);
    if (strcmp(in->name, "mad") == 0 && in->operand_count == 4)
        return ptx_has_word(in, "hi") ? 0 : least(least(a + b, 64), operand_zeros(&o[3], zeros));
    return 0;
}

/* Starts from "all zero" and lowers until nothing changes, so that loops are seen right. */
static void find_zeros(const struct ptx_function *f, uint8_t *zeros) {
    memset(zeros, 64, f->register_count);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            if (!slots_destinations(in))
                continue;
            const struct ptx_operand *d = &in->operands[0];
            unsigned known = result_zeros(in, zeros);
            size_t count = d->item_count ? d->item_count : 1;
            for (size_t k = 0; k < count; k++) {
                const struct ptx_register *reg = d->item_count ? d->items[k].reg : d->reg;
                if (reg && zeros[reg->index] > known) {
                    zeros[reg->index] = (uint8_t)known;
                    changed = true;
                }
            }
        }
    }
}

/* ---------------------------------------------------------------- groups of loads */

struct load {
    size_t instruction;
    const struct ptx_register *reg; /* NULL: offset is the address */
    int64_t offset;
    unsigned aligned; /* low zero bits of the register */
};

static bool is_plain_load(const struct ptx_instruction *in) {
    if (strcmp(in->name, "ld") != 0 || !ptx_has_word(in, "shared") || in->guard || in->operand_count != 2 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[1].kind != PTX_OPERAND_ADDRESS)
        return false;
    return in->word_count == 2 && ptx_type_bytes(ptx_type_find(in->words[1])) == 4;
}

/* What shared loads are not moved across. */
static bool ends_group(const struct ptx_instruction *in) {
    static const char *const names[] = {"bar",   "barrier", "atom", "red",  "call",     "membar",
                                        "fence", "cp",      "shfl", "vote", "mbarrier", NULL};
    if (strcmp(in->name, "st") == 0)
        return !ptx_has_word(in, "global") && !ptx_has_word(in, "local") && !ptx_has_word(in, "param");
    for (const char *const *name = names; *name; name++)
        if (strcmp(in->name, *name) == 0)
            return true;
    return ptx_has_word(in, "volatile");
}

/* Merges the loads that cover [start, start + bytes) from one base, if all are there and none is taken. */
static void merge_piece(struct merged_load *merged, const struct load *loads, size_t count, size_t first,
                        int64_t start, unsigned bytes) {
    size_t member[4], found = 0;
    for (unsigned b = 0; b < bytes; b += 4)
        for (size_t i = 0; i < count; i++)
            if (loads[i].reg == loads[first].reg && loads[i].offset == start + b &&
                !merged[loads[i].instruction].bytes && !merged[loads[i].instruction].uncounted) {
                member[found++] = i;
                break;
            }
    if (4 * found != bytes)
        return;
    size_t lead = 0;
    for (size_t k = 1; k < found; k++)
        if (loads[member[k]].instruction < loads[member[lead]].instruction)
            lead = k;
    for (size_t k = 0; k < found; k++) {
        struct merged_load *m = &merged[loads[member[k]].instruction];
        *m = (struct merged_load){.uncounted = k != lead};
        if (k == lead) {
            m->bytes = (uint8_t)bytes;
            m->shift = (int8_t)(-4 * (int)k);
        }
    }
}

static void merge_group(struct merged_load *merged, const struct load *loads, size_t count) {
    for (unsigned bytes = 16; bytes >= 8; bytes /= 2)
        for (size_t i = 0; i < count; i++) {
            int64_t start = loads[i].offset & ~(int64_t)(bytes - 1);
            if (1u << least(loads[i].aligned, 16) >= bytes && loads[i].offset == start)
                merge_piece(merged, loads, count, i, start, bytes);
        }
}

struct merged_load *merge_find(const struct ptx_function *f, const struct flow *flow) {
    struct merged_load *merged = calloc(f->instruction_count + 1, sizeof *merged);
    uint8_t *zeros = malloc(f->register_count + 1);
    struct load *loads = malloc(WINDOW * sizeof *loads);
    if (!merged || !zeros || !loads) {
        free(merged), free(zeros), free(loads);
        return NULL;
    }
    find_zeros(f, zeros);
    for (size_t b = 0; b < flow->block_count; b++) {
        size_t count = 0;
        for (size_t n = flow->blocks[b].first; n < flow->blocks[b].end; n++) {
            const struct ptx_instruction *in = flow->nodes[n].in;
            bool load = is_plain_load(in);
            if (count && (ends_group(in) || count == WINDOW)) {
                merge_group(merged, loads, count);
                count = 0;
            }
            if (load) {
                const struct ptx_operand *address = &in->operands[1];
                int64_t place = address->variable ? (int64_t)address->variable->user : 0;
                loads[count++] = (struct load){.instruction = (size_t)(in - f->instructions),
                                               .reg = address->reg,
                                               .offset = place + address->offset,
                                               .aligned = address->reg ? zeros[address->reg->index] : 64};
            }
            /* A register that is written again is another base from here on. */
            if (slots_destinations(in) && in->operands[0].reg)
                for (size_t i = 0; i < count; i++)
                    if (loads[i].reg == in->operands[0].reg) {
                        merge_group(merged, loads, count);
                        count = 0;
                    }
        }
        merge_group(merged, loads, count);
    }
    free(zeros), free(loads);
    return merged;
}
