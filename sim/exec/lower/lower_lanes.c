/* Instructions that only compute: their table is sim/exec/lanes/lanes.h.  This file selects the variants of
 * mov, which has many meanings, and of the conversions between address spaces. */
#include <stdio.h>
#include <string.h>

#include "sim/exec/lanes/lanes.h"
#include "sim/exec/lower/lower.h"

static struct sim_insn *emit_op(struct lower *l, const struct sim_op *op) {
    struct sim_insn *in = lower_emit(l, op->body);
    if (!in)
        return NULL;
    in->mod = op->mod;
    in->small = op->small;
    in->count = op->count;
    return in;
}

/* cvt.s8.s32 %r1, %r2 and cvt.u16.u32 %rd1, %r2: the result fills a register that is wider than the type, but
 * handlers produce 16 or 32 bits.  Returns the conversion that fills it, or NULL if none is needed.  Every
 * cvt in the table names two types. */
static const char *filling(const struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (!ptx_is(in, "cvt") || !in->operand_count || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        strcmp(in->words[0], "pack") == 0)
        return NULL;
    const bool wide = ptx_type_bytes(in->operands[0].reg->type) == 8;
    if (!wide && ptx_type_bytes(in->operands[0].reg->type) != 4)
        return NULL;
    switch (ptx_type_find(in->words[in->word_count - 2])) {
    case PTX_TYPE_S8:
        return wide ? "cvt.s64.s8" : "cvt.s32.s8";
    case PTX_TYPE_S16:
        return wide ? "cvt.s64.s16" : "cvt.s32.s16";
    case PTX_TYPE_S32:
        return wide ? "cvt.s64.s32" : NULL;
    case PTX_TYPE_U8:
    case PTX_TYPE_U16:
    case PTX_TYPE_U32:
        return wide ? "cvt.u64.u32" : NULL;
    default:
        return NULL;
    }
}

/* Finishes a conversion: from is the slot of its result, to the register's. */
static bool fill(struct lower *l, const char *name, int32_t from, int32_t to) {
    struct sim_op op;
    if (!sim_op_find(name, &op, NULL))
        return lower_unknown(l, NULL);
    struct sim_insn *out = emit_op(l, &op);
    if (!out)
        return false;
    out->a = from, out->d = to;
    return true;
}

static bool lower_found(struct lower *l, const struct sim_op *op) {
    const struct ptx_instruction *in = l->node->in;
    const enum ptx_type types[4] = {op->a, op->b, op->c, op->f};
    const char *const filler = filling(l);
    int32_t sources[4] = {0}, d = 0, e = 0, filled = 0;
    size_t operand = 0, wanted = op->d != PTX_TYPE_NONE;
    for (int i = 0; i < 4; i++)
        wanted += types[i] != PTX_TYPE_NONE;
    if (in->operand_count != wanted)
        return lower_error(l, in->pos, "'%s' takes %zu operands, not %zu", in->opcode, wanted,
                           in->operand_count);
    const struct ptx_operand *first = in->operands;
    if (op->d != PTX_TYPE_NONE)
        operand = 1;
    for (int i = 0; i < 4; i++)
        if (types[i] != PTX_TYPE_NONE && !lower_source(l, &in->operands[operand++], types[i], &sources[i]))
            return false;
    if (op->d != PTX_TYPE_NONE) {
        const struct ptx_operand *one = first, *two = NULL;
        if (first->kind == PTX_OPERAND_PAIR) {
            if (op->e == PTX_TYPE_NONE)
                return lower_error(l, first->pos, "'%s' has only one result", in->opcode);
            one = &first->items[0], two = &first->items[1];
        }
        const bool wide = filler && strncmp(filler, "cvt.s32", 7) != 0;
        if (!lower_destination(l, one, wide ? SIM_64 : slots_class(op->d), &d))
            return false;
        filled = d;
        if (wide && !lower_temp(l, SIM_32, &d))
            return false;
        e = SIM_NO_OPERAND;
        if (two && !lower_destination(l, two, slots_class(op->e), &e))
            return false;
    }
    struct sim_insn *out = emit_op(l, op);
    if (!out)
        return false;
    out->d = d, out->e = e;
    out->a = sources[0], out->b = sources[1], out->c = sources[2], out->f = sources[3];
    if (op->flags & SIM_OP_SYNC) {
        out->run = sim_run_converged;
        out->guard = op->member == 'a'   ? out->a
                     : op->member == 'b' ? out->b
                     : op->member == 'c' ? out->c
                                         : out->f;
    }
    return !filler || fill(l, filler, d, filled);
}

static bool find_op(struct lower *l, const char *name, struct sim_op *op) {
    const char *why = NULL;
    return sim_op_find(name, op, &why) || lower_unknown(l, why);
}

/* mov.b64 %rd, {%r1, %r2} */
static bool lower_pack(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    const struct ptx_operand *vector = &in->operands[1];
    enum ptx_type type = ptx_type_find(in->word_count ? in->words[in->word_count - 1] : "");
    unsigned bits = 8 * ptx_type_bytes(type);
    if (!vector->item_count || bits % vector->item_count)
        return lower_unknown(l, NULL);
    char name[48];
    snprintf(name, sizeof name, "mov.pack.%zux%zu", vector->item_count, bits / vector->item_count);
    struct sim_op op;
    if (!find_op(l, name, &op))
        return false;
    const enum ptx_type types[4] = {op.a, op.b, op.c, op.f};
    int32_t sources[4] = {0}, d;
    for (size_t i = 0; i < vector->item_count; i++)
        if (!lower_source(l, &vector->items[i], types[i], &sources[i]))
            return false;
    if (!lower_destination(l, &in->operands[0], slots_class(op.d), &d))
        return false;
    struct sim_insn *out = emit_op(l, &op);
    if (!out)
        return false;
    out->d = d;
    out->a = sources[0], out->b = sources[1], out->c = sources[2], out->f = sources[3];
    return true;
}

static bool lower_unpack_two(struct lower *l, const char *name, const struct ptx_operand *items,
                             int32_t source) {
    struct sim_op op;
    int32_t d, e;
    if (!find_op(l, name, &op) || !lower_destination(l, &items[0], slots_class(op.d), &d) ||
        !lower_destination(l, &items[1], slots_class(op.e), &e))
        return false;
    struct sim_insn *out = emit_op(l, &op);
    if (!out)
        return false;
    out->d = d, out->e = e, out->a = source;
    return true;
}

/* mov.b64 {%r1, %r2}, %rd */
static bool lower_unpack(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    const struct ptx_operand *vector = &in->operands[0];
    enum ptx_type type = ptx_type_find(in->word_count ? in->words[in->word_count - 1] : "");
    unsigned bits = 8 * ptx_type_bytes(type);
    size_t items = vector->item_count;
    int32_t source;
    if ((items != 2 && items != 4) || bits % items)
        return lower_unknown(l, NULL);
    if (!lower_source(l, &in->operands[1], type, &source))
        return false;
    char name[48];
    if (items == 2) {
        snprintf(name, sizeof name, "mov.unpack.2x%zu", bits / items);
        return lower_unpack_two(l, name, vector->items, source);
    }
    snprintf(name, sizeof name, "mov.unpack.lo.4x%zu", bits / items);
    if (!lower_unpack_two(l, name, vector->items, source))
        return false;
    snprintf(name, sizeof name, "mov.unpack.hi.4x%zu", bits / items);
    return lower_unpack_two(l, name, vector->items + 2, source);
}

bool lower_mov(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (in->operand_count != 2)
        return lower_error(l, in->pos, "'%s' takes 2 operands", in->opcode);
    if (in->operands[0].kind == PTX_OPERAND_VECTOR)
        return lower_unpack(l);
    if (in->operands[1].kind == PTX_OPERAND_VECTOR)
        return lower_pack(l);
    return lower_op(l);
}

static uint64_t window_of(const struct ptx_instruction *in, bool *known) {
    *known = true;
    if (ptx_has_word(in, "shared") || ptx_has_word(in, "shared::cta") || ptx_has_word(in, "shared::cluster"))
        return SIM_WINDOW_SHARED;
    if (ptx_has_word(in, "local"))
        return SIM_WINDOW_LOCAL;
    if (ptx_has_word(in, "param") || ptx_has_word(in, "param::entry"))
        return SIM_WINDOW_PARAM;
    *known = ptx_has_word(in, "global") || ptx_has_word(in, "const");
    return 0;
}

/* cvta.shared.u64 d, a (to generic); cvta.to.shared.u64 d, a; isspacep.shared p, a. */
static bool lower_window(struct lower *l, bool test) {
    const struct ptx_instruction *in = l->node->in;
    bool known;
    uint64_t window = window_of(in, &known);
    if (!known || in->operand_count != 2 || (!test && ptx_has_word(in, "u32")))
        return lower_unknown(l, "only 64-bit addresses of global, shared, local, const and param space");
    int32_t a, d;
    if (!lower_source(l, &in->operands[1], PTX_TYPE_U64, &a) ||
        !lower_destination(l, &in->operands[0], test ? SIM_PRED : SIM_64, &d))
        return false;
    struct sim_insn *out = lower_emit(l, test                     ? sim_run_isspacep
                                         : ptx_has_word(in, "to") ? sim_run_cvta_to
                                                                  : sim_run_cvta_from);
    if (!out)
        return false;
    out->d = d, out->a = a, out->imm = (int64_t)window;
    out->small = window == SIM_WINDOW_SHARED && !ptx_has_word(in, "shared::cluster");
    return true;
}

bool lower_cvta(struct lower *l) {
    return lower_window(l, false);
}

bool lower_isspacep(struct lower *l) {
    return lower_window(l, true);
}

/* mapa{.shared::cluster}.u32 d, a, rank; getctarank{.shared::cluster}.u32 d, a.  Without a space the form is
 * 64-bit and a is a generic address, which has its rank at the same bits. */
static bool lower_rank(struct lower *l, bool map) {
    const struct ptx_instruction *in = l->node->in;
    enum ptx_type type = ptx_type_find(in->word_count ? in->words[in->word_count - 1] : "");
    bool space = ptx_has_word(in, "shared::cluster");
    if ((type != PTX_TYPE_U32 && type != PTX_TYPE_U64) || in->word_count != 1u + space ||
        (!space && type != PTX_TYPE_U64))
        return lower_unknown(l, NULL);
    if (in->operand_count != 2u + map)
        return lower_error(l, in->pos, "wrong number of operands for '%s'", in->opcode);
    enum sim_slot wide = type == PTX_TYPE_U64 ? SIM_64 : SIM_32;
    int32_t a, b = 0, d;
    if (!lower_source(l, &in->operands[1], type, &a) ||
        (map && !lower_source(l, &in->operands[2], PTX_TYPE_U32, &b)) ||
        !lower_destination(l, &in->operands[0], map ? wide : SIM_32, &d))
        return false;
    struct sim_insn *out = lower_emit(l, map              ? wide == SIM_64 ? sim_run_mapa64 : sim_run_mapa32
                                         : wide == SIM_64 ? sim_run_getctarank64
                                                          : sim_run_getctarank32);
    if (!out)
        return false;
    out->d = d, out->a = a, out->b = b;
    return true;
}

bool lower_mapa(struct lower *l) {
    return lower_rank(l, true);
}

bool lower_getctarank(struct lower *l) {
    return lower_rank(l, false);
}

/* A cache policy is a number that only the hardware uses. */
bool lower_policy(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    int32_t zero, d;
    if (!in->operand_count)
        return lower_error(l, in->pos, "'%s' takes a 64-bit register", in->opcode);
    return lower_constant(l, 0, SIM_64, &zero) && lower_destination(l, &in->operands[0], SIM_64, &d) &&
           fill(l, "mov.b64", zero, d);
}

bool lower_op(struct lower *l) {
    struct sim_op op;
    return find_op(l, l->node->in->opcode, &op) && lower_found(l, &op);
}
