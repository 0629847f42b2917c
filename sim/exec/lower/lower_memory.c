/* Memory instructions: ld, ldu, st, atom, red, cp.async; parameters of kernels and of device functions. */
#include <string.h>

#include "sim/exec/lower/lower.h"

bool lower_space(const struct ptx_instruction *in, enum sim_space *space) {
    *space = SIM_SPACE_GENERIC;
    for (size_t i = 0; i < in->word_count; i++) {
        const char *word = in->words[i];
        if (strcmp(word, "global") == 0)
            *space = SIM_SPACE_GLOBAL;
        else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0)
            *space = SIM_SPACE_SHARED;
        else if (strcmp(word, "local") == 0)
            *space = SIM_SPACE_LOCAL;
        else if (strcmp(word, "const") == 0)
            *space = SIM_SPACE_CONST;
        else if (strcmp(word, "param") == 0 || strcmp(word, "param::entry") == 0 ||
                 strcmp(word, "param::func") == 0)
            *space = SIM_SPACE_PARAM;
        else if (strcmp(word, "shared::cluster") == 0)
            *space = SIM_SPACE_CLUSTER;
    }
    return true;
}

static unsigned vector_count(const struct ptx_instruction *in) {
    return ptx_has_word(in, "v2") ? 2 : ptx_has_word(in, "v4") ? 4 : ptx_has_word(in, "v8") ? 8 : 1;
}

/* Words without an effect here: they are accepted.  Anything else is refused, so that an instruction with a
 * meaning beyond this lowering is never executed as a plain one. */
static bool known_word(const char *word) {
    static const char *const words[] = {"weak",
                                        "volatile",
                                        "relaxed",
                                        "acquire",
                                        "release",
                                        "acq_rel",
                                        "cta",
                                        "gpu",
                                        "sys",
                                        "cluster",
                                        "ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "wb",
                                        "wt",
                                        "nc",
                                        "global",
                                        "shared",
                                        "shared::cta",
                                        "shared::cluster",
                                        "local",
                                        "const",
                                        "param",
                                        "param::entry",
                                        "param::func",
                                        "v2",
                                        "v4",
                                        "v8",
                                        "unified",
                                        "noftz",
                                        "mmio",
                                        "async",
                                        "mbarrier::complete_tx::bytes",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_last",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B",
                                        "L2::cache_hint",
                                        "add",
                                        "min",
                                        "max",
                                        "and",
                                        "or",
                                        "xor",
                                        "exch",
                                        "cas",
                                        "inc",
                                        "dec",
                                        NULL};
    for (const char *const *w = words; *w; w++)
        if (strcmp(word, *w) == 0)
            return true;
    return ptx_type_find(word) != PTX_TYPE_NONE;
}

static uint8_t find_order(const struct ptx_instruction *in) {
    unsigned order = 0;
    if (ptx_has_word(in, "volatile") || ptx_has_word(in, "relaxed") || ptx_has_word(in, "mmio"))
        order |= SIM_ORDER_STRONG;
    if (ptx_has_word(in, "acquire") || ptx_has_word(in, "acq_rel"))
        order |= SIM_ORDER_STRONG | SIM_ORDER_ACQUIRE;
    if (ptx_has_word(in, "release") || ptx_has_word(in, "acq_rel"))
        order |= SIM_ORDER_STRONG | SIM_ORDER_RELEASE;
    return (uint8_t)order;
}

/* Whether a loop that waits for another thread's store might read this way. */
static bool waits_for_others(const struct ptx_instruction *in) {
    return ptx_has_word(in, "volatile") || ptx_has_word(in, "acquire") || ptx_has_word(in, "relaxed");
}

/* A cache policy is the last operand.  It has no effect, because caches are not modelled. */
static bool hint_fits(const struct ptx_instruction *in) {
    if (!ptx_has_word(in, "L2::cache_hint"))
        return true;
    const struct ptx_operand *hint = &in->operands[in->operand_count - 1];
    return in->operand_count > 2 &&
           (hint->kind == PTX_OPERAND_INTEGER ||
            (hint->kind == PTX_OPERAND_REGISTER && ptx_type_bytes(hint->reg->type) == 8));
}

static struct sim_memop *new_memop(struct lower *l, enum sim_access access) {
    const struct ptx_instruction *in = l->node->in;
    if (!hint_fits(in)) {
        lower_error(l, in->pos, "'%s' takes a cache policy, of 64 bits, as its last operand", in->opcode);
        return NULL;
    }
    for (size_t i = 0; i < in->word_count; i++)
        if (!known_word(in->words[i])) {
            lower_error(l, in->pos, "instruction '%s' is not supported ('.%s')", in->opcode, in->words[i]);
            return NULL;
        }
    struct sim_memop *op = lower_alloc(l, sizeof *op);
    if (!op)
        return NULL;
    op->access = access;
    op->type = ptx_type_find(in->word_count ? in->words[in->word_count - 1] : "");
    op->width = (uint8_t)ptx_type_bytes(op->type);
    op->count = (uint8_t)vector_count(in);
    op->order = find_order(in);
    op->sign = op->type == PTX_TYPE_S8 || op->type == PTX_TYPE_S16 || op->type == PTX_TYPE_S32;
    op->skips_l1 = ptx_has_word(in, "nc") || ptx_has_word(in, "cg") || ptx_has_word(in, "cv") ||
                   ptx_has_word(in, "volatile") || ptx_has_word(in, "relaxed") || ptx_has_word(in, "acquire");
    if (!lower_space(in, &op->space) || !op->width || op->width > 8 || op->width * op->count > 32) {
        lower_unknown(l, NULL);
        return NULL;
    }
    bool told =
        ptx_has_word(in, "mbarrier::complete_tx::bytes"); /* red.async is .relaxed, but does not wait */
    if (told != ptx_has_word(in, "async")) {
        lower_unknown(l, NULL);
        return NULL;
    }
    if (waits_for_others(in) && !told) {
        l->code->may_spin = true;
        if (op->space == SIM_SPACE_GLOBAL || op->space == SIM_SPACE_GENERIC)
            l->code->ordered = true; /* it may wait for another block's store */
    }
    return lower_site(l, op) ? op : NULL;
}

bool lower_address(struct lower *l, const struct ptx_operand *operand, struct sim_memop *op, int32_t *ref) {
    if (operand->kind != PTX_OPERAND_ADDRESS && !operand->indexed)
        return lower_error(l, operand->pos, "'%s' needs an address in brackets", l->node->in->opcode);
    bool small = op->space == SIM_SPACE_SHARED || op->space == SIM_SPACE_CLUSTER ||
                 op->space == SIM_SPACE_LOCAL || op->space == SIM_SPACE_PARAM;
    if (operand->reg) {
        op->address64 = slots_class(operand->reg->type) == SIM_64;
        op->offset = operand->offset;
        if (!op->address64 && !small)
            return lower_error(l, operand->pos, "'%s' needs a 64-bit address", l->node->in->opcode);
        return lower_register(l, operand->reg, ref);
    }
    op->address64 = true;
    if (!operand->variable) {
        op->offset = operand->offset;
        return lower_constant(l, 0, SIM_64, ref);
    }
    if (operand->variable->space == PTX_SPACE_LOCAL && op->space == SIM_SPACE_LOCAL)
        return lower_variable_address(l, operand, SIM_64, ref);
    if (op->space == SIM_SPACE_GENERIC && operand->variable->space == PTX_SPACE_SHARED) {
        op->offset = (int64_t)SIM_WINDOW_SHARED;
        return lower_variable_address(l, operand, SIM_64, ref);
    }
    return lower_variable_address(l, operand, SIM_64, ref);
}

/* The registers of one value or of a vector {a, b, _, d}. */
static bool lower_elements(struct lower *l, const struct ptx_operand *operand, struct sim_memop *op,
                           bool written) {
    const struct ptx_operand *items = operand;
    size_t count = 1;
    if (operand->kind == PTX_OPERAND_VECTOR)
        items = operand->items, count = operand->item_count;
    if (count != op->count)
        return lower_error(l, operand->pos, "'%s' moves %u elements, not %zu", l->node->in->opcode, op->count,
                           count);
    /* A register may be wider than the type: a load extends, and a store truncates. */
    op->slot = op->width == 8 ? SIM_64 : SIM_32;
    for (size_t i = 0; i < count; i++)
        if (items[i].kind == PTX_OPERAND_REGISTER) {
            unsigned bytes = ptx_type_bytes(items[i].reg->type);
            if (bytes < op->width)
                return lower_error(l, items[i].pos, "register %s is too small for '%s'", items[i].reg->name,
                                   l->node->in->opcode);
            op->slot = (uint8_t)slots_class(items[i].reg->type);
            op->narrow = bytes == 2;
        }
    for (size_t i = 0; i < count; i++) {
        enum ptx_type type = op->slot == SIM_64 && op->width < 8 ? PTX_TYPE_B64 : op->type;
        if (!(written ? lower_destination(l, &items[i], op->slot, &op->reg[i])
                      : lower_source(l, &items[i], type, &op->reg[i])))
            return false;
    }
    return true;
}

/* Whether st.async or red.async signals a barrier in a cluster's shared memory, not in global memory. */
static bool tells_barrier(const struct sim_memop *op) {
    return (op->space == SIM_SPACE_CLUSTER || op->space == SIM_SPACE_GENERIC) && op->width >= 4;
}

static bool emit_memop(struct lower *l, sim_run_fn *body, const struct sim_memop *op, int32_t address) {
    struct sim_insn *in = lower_emit(l, body);
    if (!in)
        return false;
    in->a = address;
    in->extra = op;
    return true;
}

/* The .param variable in this function's frame that an address names. */
static const struct ptx_variable *frame_param(const struct lower *l, const struct ptx_operand *operand) {
    const struct ptx_variable *v = operand->variable;
    if (!v || v->space != PTX_SPACE_PARAM || operand->reg)
        return NULL;
    return lower_in_frame(l, v) ? v : NULL;
}

static bool lower_frame_param(struct lower *l, const struct ptx_operand *address,
                              const struct ptx_operand *value, struct sim_memop *op,
                              const struct ptx_variable *v, bool load) {
    if (!sim_within((uint64_t)address->offset, op->width * op->count, v->size))
        return lower_error(l, address->pos, "'%s' has no byte %lld", v->name, (long long)address->offset);
    if (!lower_elements(l, value, op, load))
        return false;
    /* user is the variable's offset in the frame, lane-major. */
    op->offset = (int64_t)(v->user + (uint64_t)address->offset);
    op->site = (uint32_t)((v->size + 7) & ~(size_t)7); /* bytes from lane to lane */
    return emit_memop(l, load ? sim_run_frame_load : sim_run_frame_store, op, 0);
}

/* Counts an access to shared memory as ptxas merges it with its neighbours. */
static void merge_memop(struct lower *l, struct sim_memop *op) {
    const struct merged_access *merged = &l->merged[l->node->in - l->function->instructions];
    op->merged = merged->bytes;
    op->shift = merged->shift;
    op->uncounted = merged->uncounted;
    if (merged->bytes)
        l->code->sites[l->code->site_count - 1].bytes = merged->bytes;
}

bool lower_load(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (ptx_has_word(in, "async"))
        return lower_unknown(l, NULL);
    if (in->operand_count < 2 || in->operand_count > 3)
        return lower_error(l, in->pos, "'%s' takes a register and an address", in->opcode);
    struct sim_memop *op = new_memop(l, SIM_ACCESS_LOAD);
    if (!op)
        return false;
    if (in->row->memory & SIM_MEMORY_GLOBAL)
        op->space = SIM_SPACE_GLOBAL;
    const struct ptx_operand *address = &in->operands[1];
    const struct ptx_variable *v = frame_param(l, address);
    if (op->space == SIM_SPACE_PARAM && v)
        return lower_frame_param(l, address, &in->operands[0], op, v, true);
    int32_t ref;
    if (!lower_address(l, address, op, &ref) || !lower_elements(l, &in->operands[0], op, true))
        return false;
    if (op->space == SIM_SPACE_PARAM) {
        /* With a constant address the value is the same in all lanes and known now. */
        if (address->variable && !address->reg) {
            op->offset = (int64_t)(address->variable->user + (uint64_t)address->offset);
            op->address64 = false;
        }
        return emit_memop(l, sim_run_param_load, op, address->reg ? ref : -1);
    }
    merge_memop(l, op);
    return emit_memop(l, waits_for_others(in) ? sim_run_poll_load : sim_run_load, op, ref);
}

bool lower_store(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (in->operand_count < 2 || in->operand_count > 3)
        return lower_error(l, in->pos, "'%s' takes an address and a register", in->opcode);
    struct sim_memop *op = new_memop(l, SIM_ACCESS_STORE);
    if (!op)
        return false;
    const struct ptx_operand *address = &in->operands[0];
    const struct ptx_variable *v = frame_param(l, address);
    if (op->space == SIM_SPACE_PARAM && v)
        return lower_frame_param(l, address, &in->operands[1], op, v, false);
    if (op->space == SIM_SPACE_PARAM || op->space == SIM_SPACE_CONST)
        return lower_error(l, address->pos, "'%s' cannot be written", in->opcode);
    int32_t ref;
    merge_memop(l, op);
    return lower_address(l, address, op, &ref) && lower_elements(l, &in->operands[1], op, false) &&
           emit_memop(l, sim_run_store, op, ref);
}

/* st.async.shared::cluster.mbarrier::complete_tx::bytes{.v2}.b32 [to], value, [barrier]: done at once. */
bool lower_async_store(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (in->operand_count != 3)
        return lower_error(l, in->pos, "'%s' takes an address, a register and a barrier", in->opcode);
    struct sim_memop *op = new_memop(l, SIM_ACCESS_STORE);
    int32_t ref;
    if (!op)
        return false;
    if (!tells_barrier(op))
        return lower_unknown(l, NULL);
    return lower_address(l, &in->operands[0], op, &ref) && lower_elements(l, &in->operands[1], op, false) &&
           emit_memop(l, sim_run_store, op, ref) && lower_bytes_arrive(l, op->space, op->width * op->count);
}

static bool find_atomic(const struct ptx_instruction *in, enum sim_atomic *out) {
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_has_word(in, names[i])) {
            *out = (enum sim_atomic)i;
            return true;
        }
    return false;
}

/* The types that PTX allows for each operation. */
static bool atomic_type_fits(enum sim_atomic atomic, enum ptx_type type) {
    bool real = type == PTX_TYPE_F32 || type == PTX_TYPE_F64 || type == PTX_TYPE_F16 ||
                type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16 || type == PTX_TYPE_BF16X2;
    bool wide = ptx_type_bytes(type) >= 4;
    switch (atomic) {
    case SIM_ATOMIC_ADD:
        return real || wide;
    case SIM_ATOMIC_MIN:
    case SIM_ATOMIC_MAX:
        return real ? !wide || type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2 : wide;
    case SIM_ATOMIC_CAS:
        return !real;
    case SIM_ATOMIC_INC:
    case SIM_ATOMIC_DEC:
        return type == PTX_TYPE_U32;
    default:
        return !real && wide;
    }
}

/* Whether ptxas lets one lane work for all lanes with the same address.  It combines 32-bit values (add, min
 * and so on) if the old value is not read.  If a sum's old value is read, it does so in full warps only,
 * unless all lanes have the same value.  For 64-bit sums the value must be the same. */
static bool one_lane_will_do(const struct facts *facts, const struct sim_memop *op,
                             const struct ptx_operand *address, bool used) {
    const bool narrow = op->type == PTX_TYPE_U32 || op->type == PTX_TYPE_S32 || op->type == PTX_TYPE_B32;
    if (!facts_uniform(facts, &address[0]))
        return false;
    switch (op->atomic) {
    case SIM_ATOMIC_ADD:
        return (narrow && (!used || op->space == SIM_SPACE_GLOBAL)) ||
               ((narrow || op->type == PTX_TYPE_U64) && facts_uniform(facts, &address[1]));
    case SIM_ATOMIC_MIN:
    case SIM_ATOMIC_MAX:
    case SIM_ATOMIC_AND:
    case SIM_ATOMIC_OR:
    case SIM_ATOMIC_XOR:
        return narrow && !used;
    default:
        return false;
    }
}

/* Whether an instruction reads one of the registers. */
static bool is_read(const struct facts *facts, const struct ptx_operand *operand) {
    for (size_t i = 0; i < operand->item_count; i++)
        if (is_read(facts, &operand->items[i]))
            return true;
    return operand->kind == PTX_OPERAND_REGISTER && facts->read[operand->reg->index];
}

/* ptxas replaces atomics that the hardware lacks by a loop of a load and a compare-and-swap: 16-bit words and
 * halves; in shared memory also pairs of halves, sums of floats, and all 64-bit operations but exch and
 * cas. */
static bool find_loop(struct lower *l, struct sim_memop *op) {
    const bool native = op->atomic == SIM_ATOMIC_EXCH || op->atomic == SIM_ATOMIC_CAS;
    if (op->count > 1 || op->space == SIM_SPACE_CLUSTER)
        return true;
    op->loops = op->width == 2;
    op->loops_shared = op->loops || (!native && (op->width == 8 || op->type == PTX_TYPE_F32 ||
                                                 op->type == PTX_TYPE_F16X2 || op->type == PTX_TYPE_BF16X2));
    if (!op->loops && (!op->loops_shared || op->space == SIM_SPACE_GLOBAL))
        return true;
    struct sim_memop *load = lower_alloc(l, sizeof *load);
    if (!load)
        return false;
    *load = (struct sim_memop){.access = SIM_ACCESS_LOAD,
                               .space = op->space,
                               .type = op->width == 8 ? PTX_TYPE_B64 : PTX_TYPE_B32,
                               .width = op->width == 8 ? 8 : 4,
                               .count = 1};
    op->to = load;
    return lower_site(l, load);
}

/* What ptxas makes of an atomic: a reduction, if the old value is not read and the address is in global
 * memory, not generic; one lane's work; an increment in shared memory, which counts a word's lanes at once;
 * or a loop. */
static bool simplify_atomic(struct lower *l, struct sim_memop *op, bool returns) {
    const struct ptx_instruction *in = l->node->in;
    if (!l->facts.read && !facts_find(l->function, &l->facts))
        return lower_out_of_memory(l);
    struct sim_site *site = &l->code->sites[l->code->site_count - 1];
    bool used = returns && is_read(&l->facts, &in->operands[0]);
    if (returns && !used && op->atomic != SIM_ATOMIC_EXCH && op->atomic != SIM_ATOMIC_CAS)
        op->access = site->access = SIM_ACCESS_RED;
    if (op->space == SIM_SPACE_GENERIC || (op->width == 2 && op->count == 1))
        site->access = SIM_ACCESS_ATOM;
    const struct ptx_operand *value = &in->operands[returns + 1];
    op->single_lane = one_lane_will_do(&l->facts, op, &in->operands[returns], used);
    op->full_warp = op->single_lane && used && !facts_uniform(&l->facts, value);
    op->increment = op->space == SIM_SPACE_SHARED && op->atomic == SIM_ATOMIC_ADD && !used &&
                    (op->type == PTX_TYPE_U32 || op->type == PTX_TYPE_S32) &&
                    value->kind == PTX_OPERAND_INTEGER && value->bits == 1;
    if (!find_loop(l, op))
        return false;
    if (op->to)
        l->code->doubts.of[in - l->function->instructions] |=
            op->loops ? SIM_DOUBT_TURNS : SIM_DOUBT_SHARED_TURNS;
    return true;
}

bool lower_atomic(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    const bool returns = in->row->result != SIM_RESULT_NONE;
    struct sim_memop *op = new_memop(l, returns ? SIM_ACCESS_ATOM : SIM_ACCESS_RED);
    if (!op)
        return false;
    if (!find_atomic(in, &op->atomic) || !atomic_type_fits(op->atomic, op->type))
        return lower_unknown(l, NULL);
    if (op->space == SIM_SPACE_LOCAL || op->space == SIM_SPACE_CONST || op->space == SIM_SPACE_PARAM)
        return lower_unknown(l, "atomics work on global and shared memory");
    bool real = op->type == PTX_TYPE_F32 || op->type == PTX_TYPE_F64 || op->width == 2 ||
                op->type == PTX_TYPE_F16X2 || op->type == PTX_TYPE_BF16X2;
    size_t next = returns, sources = op->atomic == SIM_ATOMIC_CAS ? 2 : 1;
    const bool tells = ptx_has_word(in, "async");
    if (in->operand_count < next + 1 + sources + tells || in->operand_count > next + 2 + sources)
        return lower_error(l, in->pos, "'%s' takes %zu operands", in->opcode, next + 1 + sources + tells);
    if (tells && (returns || real || !tells_barrier(op)))
        return lower_unknown(l, NULL);
    if (!simplify_atomic(l, op, returns))
        return false;
    l->code->may_spin |= returns;
    /* Old values and sums of floats depend on the order of blocks. */
    if (op->space != SIM_SPACE_SHARED && op->space != SIM_SPACE_CLUSTER &&
        (op->access == SIM_ACCESS_ATOM || real))
        l->code->ordered = true;
    int32_t address, d[4] = {0}, b[4] = {0}, c = 0;
    if (!lower_address(l, &in->operands[next], op, &address))
        return false;
    op->slot = op->width == 8 ? SIM_64 : SIM_32;
    op->narrow = op->width == 2;
    const struct ptx_operand *value = &in->operands[next + 1], *result = &in->operands[0];
    if (op->count > 4 ||
        (op->count > 1 &&
         (value->kind != PTX_OPERAND_VECTOR || value->item_count != op->count ||
          (returns && (result->kind != PTX_OPERAND_VECTOR || result->item_count != op->count)))))
        return lower_unknown(l, NULL);
    for (size_t i = 0; i < op->count; i++) {
        const struct ptx_operand *v = op->count > 1 ? &value->items[i] : value;
        const struct ptx_operand *r = op->count > 1 ? &result->items[i] : result;
        if (!lower_source(l, v, op->type, &b[i]) || (returns && !lower_destination(l, r, op->slot, &d[i])))
            return false;
    }
    if (sources == 2 && !lower_source(l, &in->operands[next + 2], op->type, &c))
        return false;
    memcpy(op->reg, b, sizeof b);
    memcpy(op->reg + 4, d, sizeof d);
    struct sim_insn *out = lower_emit(l, sim_run_atomic);
    if (!out)
        return false;
    out->a = address, out->c = c, out->extra = op;
    return !tells || lower_bytes_arrive(l, op->space, op->width);
}

bool lower_bulk_prefetch(struct lower *l) {
    return ptx_has_word(l->node->in, "tensor") ? lower_unknown(l, NULL) : lower_nothing(l);
}

/* cp.async.ca.shared.global [to], [from], 16 {, bytes}: done at once; its commits and waits do nothing. */
bool lower_async_copy(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (in->operand_count < 3 || in->operands[2].kind != PTX_OPERAND_INTEGER)
        return lower_error(l, in->pos, "'%s' takes two addresses and a size", in->opcode);
    uint64_t bytes = in->operands[2].bits;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return lower_error(l, in->operands[2].pos, "'%s' copies 4, 8 or 16 bytes", in->opcode);
    struct sim_memop *from = lower_alloc(l, sizeof *from), *to = lower_alloc(l, sizeof *to);
    if (!from || !to)
        return false;
    *from = (struct sim_memop){.access = SIM_ACCESS_LOAD,
                               .space = SIM_SPACE_GLOBAL,
                               .type = PTX_TYPE_B32,
                               .width = 4,
                               .count = (uint8_t)(bytes / 4),
                               .skips_l1 = ptx_has_word(in, "cg"),
                               .to = to};
    *to = (struct sim_memop){.access = SIM_ACCESS_STORE,
                             .space = SIM_SPACE_SHARED,
                             .type = PTX_TYPE_B32,
                             .width = 4,
                             .count = from->count};
    int32_t a, b;
    if (!lower_site(l, from) || !lower_site(l, to) || !lower_address(l, &in->operands[0], to, &b) ||
        !lower_address(l, &in->operands[1], from, &a))
        return false;
    if (in->operand_count > 3 && !ptx_has_word(in, "L2::cache_hint")) {
        enum ptx_type type = PTX_TYPE_U32;
        from->ignorable =
            in->operands[3].kind == PTX_OPERAND_REGISTER && in->operands[3].reg->type == PTX_TYPE_PRED;
        if (!lower_source(l, &in->operands[3], from->ignorable ? PTX_TYPE_PRED : type, &from->size))
            return false;
        from->has_size = !from->ignorable;
    }
    struct sim_insn *out = lower_emit(l, sim_run_async_copy);
    if (!out)
        return false;
    out->a = a, out->b = b, out->extra = from;
    return true;
}
