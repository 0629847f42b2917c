#include "sim/exec/lower/merge.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/slots.h"

#define MAX_WORDS 4   /* of one access */
#define WINDOW    256 /* accesses examined together: far more than ptxas keeps in registers */

/* ---------------------------------------------------------------- known low bits of registers */

static unsigned low_zeros(uint64_t value) {
    return value ? (unsigned)__builtin_ctzll(value) : 64;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* The number of low bits of an operand that are zero in every lane, given those of the registers. */
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

/* For floats, and for results that are clamped, the operands' low bits have no meaning. */
static bool keeps_low_bits(const struct ptx_instruction *in) {
    static const char *const floats[] = {"f16", "f16x2", "f32", "f64", "bf16", "bf16x2", "sat", NULL};
    for (const char *const *word = floats; *word; word++)
        if (ptx_has_word(in, *word))
            return false;
    return true;
}

static unsigned result_zeros(const struct ptx_instruction *in, const uint8_t *zeros) {
    const struct ptx_operand *o = in->operands;
    /* The halves of an unpacked pair have other low bits than the whole. */
    if (in->guard || in->operand_count < 2 || o[0].kind == PTX_OPERAND_VECTOR)
        return 0;
    const bool moves = ptx_is(in, "mov");
    if (!moves && !keeps_low_bits(in))
        return 0;
    if (moves || ptx_is(in, "cvt") || ptx_is(in, "cvta"))
        return o[1].kind == PTX_OPERAND_VECTOR ? 0 : operand_zeros(&o[1], zeros);
    if (in->operand_count < 3)
        return 0;
    unsigned a = operand_zeros(&o[1], zeros), b = operand_zeros(&o[2], zeros);
    if (ptx_is(in, "add") || ptx_is(in, "sub") || ptx_is(in, "or"))
        return least(a, b);
    if (ptx_is(in, "and"))
        return a > b ? a : b;
    if (ptx_is(in, "shl"))
        return o[2].kind == PTX_OPERAND_INTEGER && o[2].bits < 32 ? least(a + (unsigned)o[2].bits, 64) : a;
    if (ptx_is(in, "mul"))
        return ptx_has_word(in, "hi") ? 0 : least(a + b, 64);
    if (ptx_is(in, "mad") && in->operand_count == 4)
        return ptx_has_word(in, "hi") ? 0 : least(least(a + b, 64), operand_zeros(&o[3], zeros));
    return 0;
}

/* Starts from "all zero" and lowers until nothing changes, so that loops are handled correctly. */
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

/* ---------------------------------------------------------------- groups of accesses */

struct plain {
    size_t instruction, block;
    const struct ptx_register *reg; /* NULL: offset is the address */
    int64_t offset;
    unsigned aligned; /* known low zero bits of the register */
    unsigned bytes;   /* 4 or 8, for loads also 2; 0: not such an access */
    bool store;
};

/* A load or store of shared memory, with no special words, of 4 or 8 bytes; or a load of 2. */
static struct plain plain_access(const struct ptx_function *f, const struct ptx_instruction *in,
                                 const uint8_t *zeros) {
    const unsigned use = in->row->memory;
    const bool store = use == SIM_MEMORY_WRITES;
    struct plain none = {0};
    if ((!store && use != SIM_MEMORY_READS) || in->guard || in->operand_count != 2 || in->word_count < 2 ||
        strcmp(in->words[0], "shared") != 0)
        return none;
    const struct ptx_operand *address = &in->operands[store ? 0 : 1];
    const bool pair = strcmp(in->words[1], "v2") == 0;
    if (in->word_count != 2u + pair || address->kind != PTX_OPERAND_ADDRESS)
        return none;
    const unsigned bytes = ptx_type_bytes(ptx_type_find(in->words[1 + pair])) << pair;
    if (bytes != 4 && bytes != 8 && (bytes != 2 || store || pair))
        return none;
    const uint64_t place = address->variable ? address->variable->user : 0;
    return (struct plain){.instruction = (size_t)(in - f->instructions),
                          .reg = address->reg,
                          .offset = (int64_t)(place + (uint64_t)address->offset),
                          .aligned = address->reg ? zeros[address->reg->index] : 64,
                          .bytes = bytes,
                          .store = store};
}

static bool may_be_shared(const struct ptx_instruction *in) {
    return !(in->row->memory & SIM_MEMORY_GLOBAL) && !ptx_has_word(in, "global") &&
           !ptx_has_word(in, "local") && !ptx_has_word(in, "param") && !ptx_has_word(in, "const");
}

/* Whether shared accesses such as first cannot be moved across `in`: loads pass loads, stores only their
 * neighbours.  loose: ignores obstacles that ptxas sometimes crosses. */
static bool ends_group(const struct plain *first, const struct ptx_instruction *in,
                       const struct plain *access, bool loose) {
    const unsigned use = in->row->memory;
    if (!loose && in->row->ptxas & SIM_PTXAS_APART)
        return true;
    if (access->bytes && access->store == first->store && (!first->store || access->reg == first->reg))
        return false;
    if (use & SIM_MEMORY_ORDERS)
        return true;
    if (use & SIM_MEMORY_WRITES || (first->store && use & SIM_MEMORY_READS))
        return may_be_shared(in);
    return ptx_has_word(in, "volatile");
}

/* Merges the accesses to [start, start + bytes) from one base, if all exist and none is merged already. */
static void merge_piece(struct merged_access *merged, const struct plain *group, size_t count, size_t first,
                        int64_t start, unsigned bytes) {
    size_t member[MAX_WORDS], found = 0;
    unsigned covered = 0;
    for (bool more = true; more && covered < bytes && found < MAX_WORDS;) {
        more = false;
        for (size_t i = 0; i < count && !more; i++) {
            const struct merged_access *m = &merged[group[i].instruction];
            more = group[i].reg == group[first].reg && group[i].offset == start + covered && !m->bytes &&
                   !m->uncounted;
            if (more) {
                member[found++] = i;
                covered += group[i].bytes;
            }
        }
    }
    if (found < 2 || covered != bytes)
        return;
    size_t lead = 0;
    for (size_t k = 1; k < found; k++)
        if (group[member[k]].instruction < group[member[lead]].instruction)
            lead = k;
    for (size_t k = 0; k < found; k++) {
        const struct plain *one = &group[member[k]];
        struct merged_access *m = &merged[one->instruction];
        *m = (struct merged_access){.uncounted = k != lead};
        if (k == lead) {
            m->bytes = (uint8_t)bytes;
            m->shift = (int8_t)(start - one->offset);
        }
    }
}

static void merge_group(struct merged_access *merged, const struct plain *group, size_t count) {
    for (unsigned bytes = 16; bytes >= 8; bytes /= 2)
        for (size_t i = 0; i < count; i++) {
            int64_t start = group[i].offset & ~(int64_t)(bytes - 1);
            if (1u << least(group[i].aligned, 16) >= bytes && group[i].offset == start)
                merge_piece(merged, group, count, i, start, bytes);
        }
}

/* Loads of a block that repeat an earlier one of the group: ptxas may omit them. */
static void leave_out_repeats(struct merged_access *merged, const struct plain *group, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i && !group[i].store; j++)
            if (group[j].block == group[i].block && group[j].reg == group[i].reg &&
                group[j].offset == group[i].offset && group[j].bytes == group[i].bytes)
                merged[group[i].instruction].uncounted = true;
}

static void end_group(struct merged_access *merged, const struct plain *group, size_t *count, bool loose) {
    merge_group(merged, group, *count);
    if (loose)
        leave_out_repeats(merged, group, *count);
    *count = 0;
}

/* Merges the groups of each block; loose: groups span blocks, as ptxas moves some loads to earlier blocks.
 * (Seen in the counters of Rodinia's lavaMD and of CUDA's mergeSort.) */
static void merge_blocks(const struct ptx_function *f, const struct flow *flow, const uint8_t *zeros,
                         struct plain *group, bool loose, struct merged_access *merged) {
    size_t count = 0;
    for (size_t b = 0; b < flow->block_count; b++) {
        for (size_t n = flow->blocks[b].first; n < flow->blocks[b].end; n++) {
            const struct ptx_instruction *in = flow->nodes[n].in;
            struct plain access = plain_access(f, in, zeros);
            access.block = b;
            if (count && (ends_group(&group[0], in, &access, loose) || count == WINDOW))
                end_group(merged, group, &count, loose);
            if (access.bytes)
                group[count++] = access;
            /* A register that is overwritten is a different base from here on. */
            if (slots_destinations(in) && in->operands[0].reg)
                for (size_t i = 0; i < count; i++)
                    if (group[i].reg == in->operands[0].reg)
                        end_group(merged, group, &count, loose);
        }
        if (!loose)
            end_group(merged, group, &count, loose);
    }
    end_group(merged, group, &count, loose);
}

struct merged_access *merge_find(const struct ptx_function *f, const struct flow *flow) {
    struct merged_access *merged = calloc(f->instruction_count + 1, sizeof *merged);
    struct merged_access *loose = calloc(f->instruction_count + 1, sizeof *loose);
    uint8_t *zeros = malloc(f->register_count + 1);
    struct plain *group = malloc(WINDOW * sizeof *group);
    if (merged && loose && zeros && group) {
        find_zeros(f, zeros);
        merge_blocks(f, flow, zeros, group, false, merged);
        merge_blocks(f, flow, zeros, group, true, loose);
        for (size_t i = 0; i < f->instruction_count; i++)
            merged[i].in_doubt =
                f->instructions[i].row->memory == SIM_MEMORY_READS &&
                (merged[i].bytes != loose[i].bytes || merged[i].uncounted != loose[i].uncounted);
    } else {
        free(merged);
        merged = NULL;
    }
    free(loose), free(zeros), free(group);
    return merged;
}
