#include "sim/exec/lower/facts.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/slots.h"

bool facts_uniform(const struct facts *facts, const struct ptx_operand *operand) {
    for (size_t i = 0; i < operand->item_count; i++)
        if (!facts_uniform(facts, &operand->items[i]))
            return false;
    if (operand->kind == PTX_OPERAND_SPECIAL) {
        static const char *const differ[] = {"%tid", "%laneid", "%lanemask", "%clock", "%globaltimer"};
        for (size_t i = 0; i < sizeof differ / sizeof *differ; i++)
            if (strncmp(operand->name, differ[i], strlen(differ[i])) == 0)
                return false;
    }
    return !operand->reg || !facts->varying[operand->reg->index];
}

/* Whether equal sources give equal results, as in arithmetic and loads of kernel parameters. */
static bool keeps_uniform(const struct ptx_function *f, const struct ptx_instruction *in) {
    if (in->guard || !(in->row->ptxas & SIM_PTXAS_UNIFORM))
        return false;
    if (!(in->row->memory & SIM_MEMORY_READS))
        return true;
    /* Each lane has its own parameters of a device function and results of a call. */
    const struct ptx_variable *v = in->operand_count > 1 ? in->operands[1].variable : NULL;
    return f->entry && (!v || v->is_param);
}

static void mark_read(struct facts *facts, const struct ptx_operand *operand) {
    for (size_t i = 0; i < operand->item_count; i++)
        mark_read(facts, &operand->items[i]);
    if (operand->reg)
        facts->read[operand->reg->index] = true;
}

/* Marks the destination of an instruction as varying; true if that is new. */
static bool mark_varying(struct facts *facts, const struct ptx_operand *operand) {
    bool changed = false;
    for (size_t i = 0; i < operand->item_count; i++)
        changed |= mark_varying(facts, &operand->items[i]);
    if (operand->reg && !facts->varying[operand->reg->index])
        changed = facts->varying[operand->reg->index] = true;
    return changed;
}

static void count_writes(const struct ptx_operand *operand, uint8_t *writes) {
    for (size_t i = 0; i < operand->item_count; i++)
        count_writes(&operand->items[i], writes);
    if (operand->reg && operand->kind == PTX_OPERAND_REGISTER && writes[operand->reg->index] < 2)
        writes[operand->reg->index]++;
}

bool facts_find(const struct ptx_function *f, struct facts *out) {
    out->read = calloc(f->register_count + 1, sizeof *out->read);
    out->varying = calloc(f->register_count + 1, sizeof *out->varying);
    uint8_t *writes = calloc(f->register_count + 1, 1);
    bool ok = out->read && out->varying && writes;
    if (ok) {
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            size_t written = slots_destinations(in);
            if (in->guard)
                out->read[in->guard->index] = true;
            if (written)
                count_writes(&in->operands[0], writes);
            for (size_t o = written; o < in->operand_count; o++)
                mark_read(out, &in->operands[o]);
        }
        /* A register that is written in several places may have values from either side of a branch. */
        for (size_t r = 0; r < f->register_count; r++)
            out->varying[r] = writes[r] != 1;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = 0; i < f->instruction_count; i++) {
                const struct ptx_instruction *in = &f->instructions[i];
                if (!slots_destinations(in))
                    continue;
                bool uniform = keeps_uniform(f, in);
                for (size_t o = 1; uniform && o < in->operand_count; o++)
                    uniform = facts_uniform(out, &in->operands[o]);
                if (!uniform)
                    changed |= mark_varying(out, &in->operands[0]);
            }
        }
    }
    free(writes);
    if (!ok)
        facts_free(out);
    return ok;
}

void facts_free(struct facts *facts) {
    free(facts->read);
    free(facts->varying);
    *facts = (struct facts){0};
}
