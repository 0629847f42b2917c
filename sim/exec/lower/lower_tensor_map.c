/* tensormap.replace, tensormap.cp_fenceproxy, and the fences and prefetches of tensor maps.
 *
 * All become what ptxas makes of them for sm_90a.  A field becomes a load, a change and a store of a word, or
 * only a store if it is a whole word.  A copy becomes one load and one exchange of a word per lane.  So they
 * are counted and checked like those accesses. */
#include "sim/exec/memory/tensor_map.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/lower.h"

static bool is_scope(const char *word) {
    return strcmp(word, "cta") == 0 || strcmp(word, "cluster") == 0 || strcmp(word, "gpu") == 0 ||
           strcmp(word, "sys") == 0;
}

static bool is_word(const struct ptx_instruction *in, size_t at, const char *word) {
    return at < in->word_count && strcmp(in->words[at], word) == 0;
}

/* For "sm_90a": 90, and the letter. */
static unsigned target_of(const struct lower *l, char *letter) {
    const char *text = l->module->ptx->target, *digits = strpbrk(text, "0123456789");
    char *end = NULL;
    unsigned long number = digits ? strtoul(digits, &end, 10) : 0;
    *letter = end ? *end : '\0';
    return number < 10000 ? (unsigned)number : 0;
}

static bool needs_target(struct lower *l, unsigned least, bool specific) {
    const struct ptx_instruction *in = l->node->in;
    char letter;
    const unsigned number = target_of(l, &letter);
    if (number < least)
        return lower_error(l, in->pos, "'%s' needs .target sm_%u%s or higher, not %s", in->opcode, least,
                           specific ? "a" : "", l->module->ptx->target);
    if (specific && letter != 'a' && (letter != 'f' || number < 100))
        return lower_error(l, in->pos, "'%s' needs a .target that ends with 'a', such as sm_%ua, not %s",
                           in->opcode, least, l->module->ptx->target);
    return true;
}

static bool operand_count(struct lower *l, size_t count, const char *what) {
    const struct ptx_instruction *in = l->node->in;
    return in->operand_count == count || lower_error(l, in->pos, "'%s' takes %s", in->opcode, what);
}

static bool size_is_128(struct lower *l, const struct ptx_operand *size) {
    return (size->kind == PTX_OPERAND_INTEGER && size->bits == SIM_TENSOR_MAP_BYTES) ||
           lower_error(l, size->pos, "'%s' takes a size of %d", l->node->in->opcode, SIM_TENSOR_MAP_BYTES);
}

/* ---------------------------------------------------------------- tensormap.replace */

enum field { ADDRESS, RANK, BOX, SIZE, STRIDE, STEP, TYPE, INTERLEAVE, SWIZZLE, ATOMICITY, FILL, FIELDS };

/* most: the last ordinal for a field that each dimension has; the last choice for one chosen from a list. */
static const struct {
    const char *name;
    bool each, choice;
    unsigned most;
} fields[FIELDS] = {
    [ADDRESS] = {"global_address", false, false, 0},
    [RANK] = {"rank", false, false, 0},
    [BOX] = {"box_dim", true, false, SIM_TENSOR_RANKS - 1},
    [SIZE] = {"global_dim", true, false, SIM_TENSOR_RANKS - 1},
    [STRIDE] = {"global_stride", true, false, SIM_TENSOR_RANKS - 2},
    [STEP] = {"element_stride", true, false, SIM_TENSOR_RANKS - 1},
    [TYPE] = {"elemtype", false, true, 12},
    [INTERLEAVE] = {"interleave_layout", false, true, 2},
    [SWIZZLE] = {"swizzle_mode", false, true, 3},
    [ATOMICITY] = {"swizzle_atomicity", false, true, 3},
    [FILL] = {"fill_mode", false, true, 1},
};

/* The map that an instruction names. */
struct map {
    struct sim_memop at;
    int32_t address;
};

/* Some bits of a word, and the operand with their new value. */
struct part {
    struct sim_map_bits bits;
    int32_t value;
    bool wide;
};

/* A load or store of 4 or 8 bytes of the map. */
static bool access_word(struct lower *l, const struct map *map, bool load, unsigned word, unsigned width,
                        int32_t value) {
    struct sim_memop *op = lower_alloc(l, sizeof *op);
    if (!op)
        return false;
    *op = map->at;
    op->offset = (int64_t)((uint64_t)map->at.offset + 4 * word);
    op->access = load ? SIM_ACCESS_LOAD : SIM_ACCESS_STORE;
    op->type = width == 8 ? PTX_TYPE_B64 : PTX_TYPE_B32;
    op->slot = width == 8 ? SIM_64 : SIM_32;
    op->width = (uint8_t)width;
    op->count = 1;
    op->reg[0] = value;
    if (!lower_site(l, op))
        return false;
    struct sim_insn *out = lower_emit(l, load ? sim_run_load : sim_run_store);
    if (!out)
        return false;
    out->a = map->address, out->extra = op;
    return true;
}

/* Replaces parts of one word, which is loaded first unless one part is the whole word. */
static bool replace_word(struct lower *l, const struct map *map, const struct part *parts, size_t count) {
    const unsigned word = parts[0].bits.word;
    int32_t old, made;
    if (!lower_temp(l, SIM_32, &made))
        return false;
    old = made;
    if (parts[0].bits.count == 32 ? !lower_constant(l, 0, SIM_32, &old)
                                  : !access_word(l, map, true, word, 4, made))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct sim_map_bits *bits = lower_alloc(l, sizeof *bits);
        struct sim_insn *out = bits ? lower_emit(l, sim_run_map_field) : NULL;
        if (!out)
            return false;
        *bits = parts[i].bits;
        out->a = i ? made : old, out->b = parts[i].value, out->d = made;
        out->small = parts[i].wide;
        out->extra = bits;
    }
    return access_word(l, map, false, word, 4, made);
}

static bool replace_choice(struct lower *l, const struct map *map, enum field field, uint64_t choice) {
    static const struct sim_map_bits of[] = {[TYPE] = SIM_MAP_TYPE,
                                             [INTERLEAVE] = SIM_MAP_INTERLEAVE,
                                             [SWIZZLE] = SIM_MAP_SWIZZLE,
                                             [ATOMICITY] = SIM_MAP_ATOMICITY,
                                             [FILL] = SIM_MAP_FILL};
    struct part parts[] = {{.bits = of[field]}, {.bits = SIM_MAP_TF32}};
    const bool tf32 = field == TYPE && (choice == 11 || choice == 12);
    if (tf32)
        choice = choice == 11 ? SIM_MAP_F32 : SIM_MAP_F32_FTZ;
    return lower_constant(l, choice, SIM_32, &parts[0].value) &&
           lower_constant(l, tf32, SIM_32, &parts[1].value) &&
           replace_word(l, map, parts, field == TYPE ? 2 : 1);
}

static bool replace_value(struct lower *l, const struct map *map, enum field field, unsigned ordinal,
                          int32_t value) {
    struct part part = {.value = value, .wide = field == STRIDE}, high = part;
    switch (field) {
    case ADDRESS:
        return access_word(l, map, false, 0, 8, value);
    case RANK:
        part.bits = SIM_MAP_RANK;
        break;
    case BOX:
        part.bits = sim_map_box(ordinal);
        break;
    case SIZE:
        part.bits = sim_map_size(ordinal);
        break;
    case STEP:
        part.bits = sim_map_step(ordinal);
        break;
    default:
        part.bits = sim_map_stride_low(ordinal);
        high.bits = sim_map_stride_high(ordinal);
        return replace_word(l, map, &part, 1) && replace_word(l, map, &high, 1);
    }
    return replace_word(l, map, &part, 1);
}

/* Reads the words after "tile", and the operands: [map], {ordinal,} value. */
bool lower_map_replace(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    unsigned field = 0;
    while (field < FIELDS && !is_word(in, 2, fields[field].name))
        field++;
    struct map map = {.at.space = is_word(in, 3, "global")        ? SIM_SPACE_GLOBAL
                                  : is_word(in, 3, "shared::cta") ? SIM_SPACE_SHARED
                                                                  : SIM_SPACE_GENERIC};
    const size_t size = map.at.space == SIM_SPACE_GENERIC ? 3 : 4;
    const bool wide = field == ADDRESS || field == STRIDE;
    if (field == FIELDS || !is_word(in, 1, "tile") || !is_word(in, size, "b1024") ||
        !is_word(in, size + 1, wide ? "b64" : "b32") || in->word_count != size + 2)
        return lower_unknown(l, NULL);
    const bool each = fields[field].each, choice = fields[field].choice;
    if (!operand_count(l, each ? 3 : 2,
                       each ? "an address, an ordinal and a value" : "an address and a value"))
        return false;
    const struct ptx_operand *value = &in->operands[in->operand_count - 1], *ordinal = &in->operands[1];
    /* Not available on sm_90a. */
    char letter;
    const bool newer = target_of(l, &letter) >= 100;
    if (!needs_target(l, field == ATOMICITY ? 100 : 90, true))
        return false;
    const unsigned most = field == TYPE && newer ? 15 : fields[field].most;
    const struct ptx_operand *chosen = choice ? value : ordinal;
    if ((each || choice) && (chosen->kind != PTX_OPERAND_INTEGER || chosen->bits > most))
        return lower_error(l, chosen->pos, "'%s' takes a constant from 0 to %u as its %s", in->opcode, most,
                           choice ? "value" : "ordinal");
    int32_t source;
    if (!lower_address(l, &in->operands[0], &map.at, &map.address))
        return false;
    if (choice)
        return replace_choice(l, &map, field, value->bits);
    return lower_source(l, value, wide ? PTX_TYPE_B64 : PTX_TYPE_B32, &source) &&
           replace_value(l, &map, field, each ? (unsigned)ordinal->bits : 0, source);
}

/* ---------------------------------------------------------------- tensormap.cp_fenceproxy */

/* The address of each lane's own word in the map that the operand names. */
static bool lane_address(struct lower *l, const struct ptx_operand *operand, struct sim_memop *op,
                         int32_t *ref) {
    int32_t address;
    if (!lower_address(l, operand, op, &address) || !lower_temp(l, op->address64 ? SIM_64 : SIM_32, ref))
        return false;
    struct sim_insn *out = lower_emit(l, op->address64 ? sim_run_lane_word64 : sim_run_lane_word32);
    if (!out)
        return false;
    out->a = address, out->d = *ref;
    return true;
}

/* .global.shared::cta.tensormap::generic.release.<scope>.sync.aligned [to], [from], 128 */
bool lower_map_copy(struct lower *l) {
    static const char *const words[] = {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic",
                                        "release",       NULL,     "sync",        "aligned"};
    const struct ptx_instruction *in = l->node->in;
    const size_t count = sizeof words / sizeof *words;
    bool known = in->word_count == count && is_scope(in->words[5]);
    for (size_t i = 0; i < count && known; i++)
        known = !words[i] || is_word(in, i, words[i]);
    if (!known)
        return lower_unknown(l, NULL);
    if (!operand_count(l, 3, "two addresses and a size") || !needs_target(l, 90, false) ||
        !size_is_128(l, &in->operands[2]))
        return false;
    const size_t first = l->insn_count;
    struct sim_memop *load = lower_alloc(l, sizeof *load), *swap = lower_alloc(l, sizeof *swap);
    if (!load || !swap)
        return false;
    *load = (struct sim_memop){.access = SIM_ACCESS_LOAD,
                               .space = SIM_SPACE_SHARED,
                               .type = PTX_TYPE_B32,
                               .width = 4,
                               .count = 1,
                               .slot = SIM_32};
    *swap = *load;
    swap->access = SIM_ACCESS_ATOM;
    swap->space = SIM_SPACE_GLOBAL;
    swap->atomic = SIM_ATOMIC_EXCH;
    swap->order = SIM_ORDER_STRONG;
    int32_t from, to, value;
    if (!lower_site(l, load) || !lower_site(l, swap) || !lane_address(l, &in->operands[1], load, &from) ||
        !lane_address(l, &in->operands[0], swap, &to) || !lower_temp(l, SIM_32, &value) ||
        !lower_temp(l, SIM_32, &swap->reg[4]))
        return false;
    load->reg[0] = swap->reg[0] = value;
    l->code->may_spin = true; /* as for an exchange */
    struct sim_insn *out = lower_emit(l, sim_run_load);
    if (!out)
        return false;
    out->a = from, out->extra = load;
    if (!(out = lower_emit(l, sim_run_atomic)))
        return false;
    out->a = to, out->extra = swap;
    return lower_emit(l, sim_run_fence) && lower_aligned(l, &l->insns[first]);
}

/* ---------------------------------------------------------------- fences and prefetches */

/* Only its alignment is checked. */
static bool named_map(struct lower *l, const struct ptx_operand *operand) {
    struct sim_memop at = {.space = SIM_SPACE_GENERIC};
    int32_t address;
    if (!lower_address(l, operand, &at, &address))
        return false;
    struct sim_insn *out = lower_emit(l, sim_run_map_line);
    if (!out)
        return false;
    out->a = address, out->imm = at.offset;
    return true;
}

/* fence.proxy.tensormap::generic.release.<scope>; or .acquire.<scope> [map], 128 */
bool lower_map_fence(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    const bool acquire = is_word(in, 2, "acquire");
    if (!is_word(in, 0, "proxy") || !is_word(in, 1, "tensormap::generic") ||
        (!acquire && !is_word(in, 2, "release")) || in->word_count != 4 || !is_scope(in->words[3]))
        return lower_unknown(l, NULL);
    if (!operand_count(l, acquire ? 2 : 0, acquire ? "an address and a size" : "no operands") ||
        !needs_target(l, 90, false))
        return false;
    if (acquire && (!size_is_128(l, &in->operands[1]) || !named_map(l, &in->operands[0])))
        return false;
    return lower_fence(l);
}

/* prefetch{.const, .param}.tensormap [map] */
bool lower_map_prefetch(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    const bool space = is_word(in, 0, "const") || is_word(in, 0, "param");
    if (!is_word(in, space, "tensormap") || in->word_count != 1u + space)
        return lower_unknown(l, NULL);
    if (!operand_count(l, 1, "an address") || !needs_target(l, 90, false))
        return false;
    return space ? lower_nothing(l) : named_map(l, &in->operands[0]);
}
