/* The use of a loaded value: padding is loaded with its structure, and then only moved.
 *
 * A value is followed through the registers of its function, along all branches.  A value that is stored,
 * passed to a function or shifted out is not followed: the check then counts it as only moved.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"
#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/slots.h"

static bool names(const struct ptx_operand *operand, const bool *followed) {
    for (size_t i = 0; i < operand->item_count; i++)
        if (names(&operand->items[i], followed))
            return true;
    return operand->reg && followed[operand->reg->index];
}

static bool follow(const struct ptx_operand *operand, bool *followed) {
    bool changed = false;
    for (size_t i = 0; i < operand->item_count; i++)
        changed |= follow(&operand->items[i], followed);
    if (operand->reg && operand->kind == PTX_OPERAND_REGISTER && !followed[operand->reg->index])
        changed = followed[operand->reg->index] = true;
    return changed;
}

static bool is_float(const char *word) {
    return word[0] == 'f' || word[0] == 'e' || strncmp(word, "bf", 2) == 0 || strncmp(word, "tf", 2) == 0;
}

/* Whether the instruction only moves the operand's value to a register or to memory, whole or in parts. */
static bool moves(const struct ptx_instruction *in, size_t operand) {
    switch (in->row->value) {
    case SIM_VALUE_MOVES:
        return true;
    case SIM_VALUE_MOVES_FIRST:
        return operand == 1;
    case SIM_VALUE_MOVES_WHOLE:
        for (size_t i = 0; i < in->word_count; i++)
            if (is_float(in->words[i]))
                return false;
        return true;
    default:
        return false;
    }
}

/* Whether some instruction computes with the value in those registers, or in those that it is moved to. */
static bool computes(const struct ptx_function *f, bool *followed) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            size_t written = slots_destinations(in);
            if (in->guard && followed[in->guard->index])
                return true;
            for (size_t o = written; o < in->operand_count; o++) {
                if (!names(&in->operands[o], followed))
                    continue;
                if (!moves(in, o))
                    return true;
                if (written)
                    changed |= follow(&in->operands[0], followed);
            }
        }
    }
    return false;
}

static bool look(const struct ptx_function *f, uint32_t insn, unsigned element) {
    const struct ptx_instruction *in = &f->instructions[insn];
    if (in->row->value == SIM_VALUE_COPIES)
        return false;
    if (in->row->value != SIM_VALUE_LOADS || !in->operand_count)
        return true;
    const struct ptx_operand *value = &in->operands[0];
    if (value->kind == PTX_OPERAND_VECTOR) {
        if (element >= value->item_count)
            return true;
        value = &value->items[element];
    }
    bool *followed = calloc(f->register_count + 1, sizeof *followed);
    if (!followed)
        return false;
    follow(value, followed);
    bool result = computes(f, followed);
    free(followed);
    return result;
}

bool check_computes(const struct sim_code *code, uint32_t insn, unsigned element, struct check_site *site) {
    const uint8_t bit = (uint8_t)(1u << (element & 7));
    if (!(site->uses_known & bit)) {
        site->uses_known |= bit;
        if (look(code->source, insn, element))
            site->computes |= bit;
    }
    return site->computes & bit;
}
