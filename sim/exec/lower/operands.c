/* Operands: registers, constants and addresses, as references for handlers. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lanes/lanes.h"
#include "sim/exec/lower/lower.h"

static const uint32_t class_bytes[] = {[SIM_PRED] = 4, [SIM_32] = 4 * SIM_LANES, [SIM_64] = 8 * SIM_LANES};

static size_t hash_constant(uint64_t value, enum sim_slot class) {
    uint64_t h = (value ^ (uint64_t) class << 61) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 32);
}

static bool grow_constants(struct lower *l) {
    size_t capacity = l->constant_capacity ? 2 * l->constant_capacity : 64;
    struct lower_constant *table = calloc(capacity, sizeof *table);
    if (!table)
        return lower_out_of_memory(l);
    for (size_t i = 0; i < l->constant_capacity; i++) {
        if (l->constants[i].class == SIM_NONE)
            continue;
        size_t at = hash_constant(l->constants[i].value, l->constants[i].class) & (capacity - 1);
        while (table[at].class != SIM_NONE)
            at = (at + 1) & (capacity - 1);
        table[at] = l->constants[i];
    }
    free(l->constants);
    l->constants = table;
    l->constant_capacity = capacity;
    return true;
}

bool lower_constant(struct lower *l, uint64_t value, enum sim_slot class, int32_t *ref) {
    if (class == SIM_32)
        value &= UINT32_MAX;
    if (2 * (l->constant_count + 1) > l->constant_capacity && !grow_constants(l))
        return false;
    size_t at = hash_constant(value, class) & (l->constant_capacity - 1);
    for (; l->constants[at].class != SIM_NONE; at = (at + 1) & (l->constant_capacity - 1))
        if (l->constants[at].class == class && l->constants[at].value == value) {
            *ref = l->constants[at].ref;
            return true;
        }
    if (l->pool_bytes > INT32_MAX - 512)
        return lower_out_of_memory(l);
    *ref = (int32_t)(l->pool_bytes | 1);
    l->pool_bytes += class == SIM_PRED ? 64 : class_bytes[class]; /* vectors stay on 64-byte lines */
    l->constants[at] = (struct lower_constant){value, class, *ref};
    l->constant_count++;
    return true;
}

bool lower_pool(struct lower *l) {
    l->code->pool_bytes = l->pool_bytes;
    l->code->pool = aligned_alloc(64, l->pool_bytes + 64);
    if (!l->code->pool)
        return lower_out_of_memory(l);
    for (size_t i = 0; i < l->constant_capacity; i++) {
        const struct lower_constant *c = &l->constants[i];
        if (c->class == SIM_NONE)
            continue;
        char *at = l->code->pool + (c->ref & ~1);
        if (c->class == SIM_PRED)
            *(uint32_t *)at = c->value ? SIM_ALL_LANES : 0;
        for (int lane = 0; lane < SIM_LANES && c->class != SIM_PRED; lane++)
            if (c->class == SIM_32)
                ((uint32_t *)at)[lane] = (uint32_t)c->value;
            else
                ((uint64_t *)at)[lane] = c->value;
    }
    return true;
}

bool lower_temp(struct lower *l, enum sim_slot class, int32_t *ref) {
    /* Temporaries are after the frame's registers; lower.c adds their space when the function is done.  Each
     * class has its own region of 16, so that offsets are known immediately. */
    if (l->temp_used[class] == 16)
        return lower_error(l, l->node->in->pos, "instruction '%s' is too complex", l->node->in->opcode);
    *ref = (int32_t)(l->temp_base[class] + l->temp_used[class]++ * class_bytes[class]);
    if (l->temp_used[class] > l->temp_peak[class])
        l->temp_peak[class] = l->temp_used[class];
    return true;
}

bool lower_register(struct lower *l, const struct ptx_register *reg, int32_t *ref) {
    *ref = l->slots.of_register[reg->index];
    if (*ref < 0)
        return lower_error(l, l->node->in->pos, "internal: register %s has no slot", reg->name);
    if (ptx_type_bytes(reg->type) == 16)
        return lower_error(l, l->node->in->pos, "128-bit registers (%s) are not supported", reg->name);
    return true;
}

static uint64_t immediate_bits(const struct ptx_operand *operand, enum ptx_type type) {
    if (operand->kind == PTX_OPERAND_F64 && type == PTX_TYPE_F32) {
        double value;
        memcpy(&value, &operand->bits, sizeof value);
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (operand->kind == PTX_OPERAND_F32 && type == PTX_TYPE_F64) {
        uint32_t low = (uint32_t)operand->bits;
        float value;
        memcpy(&value, &low, sizeof value);
        double wide = value;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    if (operand->kind == PTX_OPERAND_INTEGER && (type == PTX_TYPE_F32 || type == PTX_TYPE_F64)) {
        double wide = (double)(int64_t)operand->bits;
        float narrow = (float)wide;
        uint32_t low;
        uint64_t bits;
        memcpy(&low, &narrow, sizeof low);
        memcpy(&bits, &wide, sizeof bits);
        return type == PTX_TYPE_F32 ? low : bits;
    }
    uint64_t bits = operand->bits;
    unsigned bytes = ptx_type_bytes(type);
    if (bytes == 1)
        bits &= 0xff;
    else if (bytes == 2)
        bits &= 0xffff;
    return bits;
}

bool lower_variable_address(struct lower *l, const struct ptx_operand *operand, enum sim_slot class,
                            int32_t *ref) {
    const struct ptx_variable *variable = operand->variable;
    uint64_t at = variable->user + (uint64_t)operand->offset;
    if (class == SIM_PRED)
        return lower_error(l, operand->pos, "'%s' needs a predicate, not '%s'", l->node->in->opcode,
                           variable->name);
    switch (variable->space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        if (class != SIM_64)
            return lower_error(l, operand->pos, "the address of '%s' needs a 64-bit register",
                               variable->name);
        return lower_constant(l, at, class, ref);
    case PTX_SPACE_SHARED:
        return lower_constant(l, at, class, ref);
    case PTX_SPACE_PARAM:
        if (!l->function->entry)
            return lower_error(l, operand->pos, "the address of parameter '%s' is not supported",
                               variable->name);
        return lower_constant(l, at, class, ref);
    case PTX_SPACE_LOCAL: {
        if (!lower_temp(l, class, ref))
            return false;
        struct sim_insn *in =
            lower_emit(l, class == SIM_64 ? sim_run_local_address64 : sim_run_local_address32);
        if (!in)
            return false;
        in->d = *ref;
        in->imm = (int64_t)at;
        return true;
    }
    default:
        return lower_error(l, operand->pos, "'%s' has no address", variable->name);
    }
}

static bool negate(struct lower *l, int32_t *ref) {
    struct sim_op op;
    int32_t temp = 0;
    if (!sim_op_find("not.pred", &op, NULL))
        return lower_unknown(l, "not.pred is missing");
    if (!lower_temp(l, SIM_PRED, &temp))
        return false;
    struct sim_insn *in = lower_emit(l, op.body);
    if (!in)
        return false;
    in->d = temp;
    in->a = *ref;
    *ref = temp;
    return true;
}

/* Converts a register of another width than the instruction's: cvt, ld and st may name wider ones. */
static bool resize(struct lower *l, enum sim_slot from, enum sim_slot to, int32_t *ref) {
    struct sim_op op;
    int32_t temp = 0;
    const char *name = from == SIM_64 ? "cvt.u32.u64" : "cvt.u64.u32";
    if (!sim_op_find(name, &op, NULL) || from == SIM_PRED || to == SIM_PRED)
        return lower_error(l, l->node->in->pos, "operand sizes of '%s' do not fit", l->node->in->opcode);
    if (!lower_temp(l, to, &temp))
        return false;
    struct sim_insn *in = lower_emit(l, op.body);
    if (!in)
        return false;
    in->d = temp;
    in->a = *ref;
    in->mod = op.mod;
    in->small = op.small;
    in->count = op.count;
    *ref = temp;
    return true;
}

static bool lower_special(struct lower *l, const struct ptx_operand *operand, enum sim_slot class,
                          int32_t *ref) {
    unsigned bytes;
    int number = sim_special_find(operand->name, &bytes);
    if (number < 0)
        return lower_error(l, operand->pos, "special register '%s' is not supported", operand->name);
    l->code->reserved |= strcmp(operand->name, SIM_RESERVED_REGISTER) == 0;
    enum sim_slot own = bytes == 8 ? SIM_64 : SIM_32;
    if (!lower_temp(l, own, ref))
        return false;
    struct sim_insn *in = lower_emit(l, own == SIM_64 ? sim_run_special64 : sim_run_special32);
    if (!in)
        return false;
    in->d = *ref;
    in->small = (uint8_t)number;
    return own == class || resize(l, own, class, ref);
}

static bool lower_explicit_cluster(struct lower *l, int32_t *ref) {
    if (!lower_temp(l, SIM_PRED, ref))
        return false;
    struct sim_insn *in = lower_emit(l, sim_run_explicit_cluster);
    if (in)
        in->d = *ref;
    return in != NULL;
}

bool lower_source(struct lower *l, const struct ptx_operand *operand, enum ptx_type type, int32_t *ref) {
    enum sim_slot class = slots_class(type);
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER: {
        enum sim_slot own = slots_class(operand->reg->type);
        if (!lower_register(l, operand->reg, ref))
            return false;
        if (own != class && !resize(l, own, class, ref))
            return false;
        return !operand->negated || negate(l, ref);
    }
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        return lower_constant(l, immediate_bits(operand, type), class, ref);
    case PTX_OPERAND_SPECIAL:
        if (strcmp(operand->name, "WARP_SZ") == 0)
            return lower_constant(l, SIM_LANES, class, ref);
        if (class == SIM_PRED && strcmp(operand->name, "%is_explicit_cluster") == 0)
            return lower_explicit_cluster(l, ref);
        return lower_special(l, operand, class, ref);
    case PTX_OPERAND_VARIABLE:
        return lower_variable_address(l, operand, class, ref);
    case PTX_OPERAND_FUNCTION:
        l->code->calls_indirect = true;
        return lower_constant(l, SIM_CODE_ADDRESS | operand->function->index, class, ref);
    default:
        return lower_error(l, operand->pos, "unexpected operand of '%s'", l->node->in->opcode);
    }
}

bool lower_destination(struct lower *l, const struct ptx_operand *operand, enum sim_slot class,
                       int32_t *ref) {
    l->wrote = true;
    if (operand->kind == PTX_OPERAND_SINK)
        return lower_temp(l, class, ref);
    if (operand->kind != PTX_OPERAND_REGISTER)
        return lower_error(l, operand->pos, "'%s' needs a register to write to", l->node->in->opcode);
    enum sim_slot own = slots_class(operand->reg->type);
    if (own != class)
        return lower_error(l, operand->pos, "register %s has the wrong size for '%s'", operand->reg->name,
                           l->node->in->opcode);
    return lower_register(l, operand->reg, ref);
}
