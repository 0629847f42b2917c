/* tex and tld4 through texture objects: [handle, {coordinates}], as nvcc writes them. */
#include <string.h>

#include "sim/exec/lower/lower.h"
#include "sim/exec/texture/fetch.h"

static const struct shape {
    const char *word;
    uint8_t dimensions;
    bool layered;
    uint8_t items; /* elements of the coordinates' vector: the last one may be mere padding */
} shapes[] = {
    {"1d", 1, false, 1}, {"2d", 2, false, 2}, {"3d", 3, false, 4}, {"a1d", 1, true, 2}, {"a2d", 2, true, 4}};

static const struct shape *find_shape(const struct ptx_instruction *in) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (ptx_has_word(in, shapes[i].word))
            return &shapes[i];
    return NULL;
}

/* The words that may precede the shape; others would change the fetch.  A gather has only its component. */
static bool known_words(const struct ptx_instruction *in, const struct shape *shape, bool gather) {
    if (gather && in->word_count != 5)
        return false;
    for (size_t i = 0; i < in->word_count && strcmp(in->words[i], shape->word) != 0; i++) {
        const char *word = in->words[i];
        bool component = gather && strlen(word) == 1 && strchr("rgba", *word);
        if (!component && (gather || (strcmp(word, "level") != 0 && strcmp(word, "grad") != 0)))
            return false;
    }
    return in->word_count >= 4 && strcmp(in->words[in->word_count - 3], "v4") == 0 &&
           strcmp(in->words[in->word_count - 4], shape->word) == 0;
}

static bool is_word(enum ptx_type type) {
    return type == PTX_TYPE_F32 || type == PTX_TYPE_S32 || type == PTX_TYPE_U32;
}

static bool lower_coordinates(struct lower *l, const struct ptx_operand *vector, const struct shape *shape,
                              enum ptx_type type, struct sim_fetch *f) {
    const struct ptx_operand *items = vector;
    size_t count = 1, at = 0;
    if (vector->kind == PTX_OPERAND_VECTOR)
        items = vector->items, count = vector->item_count;
    if (count != shape->items)
        return lower_error(l, vector->pos, "'%s' takes %u coordinates, not %zu", l->node->in->opcode,
                           shape->items, count);
    if (shape->layered && !lower_source(l, &items[at++], PTX_TYPE_U32, &f->layer))
        return false;
    for (unsigned axis = 0; axis < shape->dimensions; axis++)
        if (!lower_source(l, &items[at++], type, &f->coordinate[axis]))
            return false;
    return true;
}

static bool lower_results(struct lower *l, const struct ptx_operand *vector, struct sim_fetch *f) {
    if (vector->kind != PTX_OPERAND_VECTOR || vector->item_count != 4)
        return lower_error(l, vector->pos, "'%s' gives 4 values", l->node->in->opcode);
    for (size_t i = 0; i < 4; i++)
        if (!lower_destination(l, &vector->items[i], SIM_32, &f->op.reg[i]))
            return false;
    return true;
}

static bool lower_texels(struct lower *l, bool gather) {
    const struct ptx_instruction *in = l->node->in;
    const struct shape *shape = find_shape(in);
    if (!shape || !known_words(in, shape, gather) || (gather && shape->items != 2) ||
        shape->layered > !gather)
        return lower_unknown(l, "textures are of 1, 2 or 3 dimensions, or of layers of 1 or 2");
    const enum ptx_type result = ptx_type_find(in->words[in->word_count - 2]),
                        coordinates = ptx_type_find(in->words[in->word_count - 1]);
    if (!is_word(result) || (coordinates != PTX_TYPE_F32 && (coordinates != PTX_TYPE_S32 || gather)))
        return lower_unknown(l, NULL);
    const bool level = ptx_has_word(in, "level"), grad = ptx_has_word(in, "grad");
    if (in->operand_count != 2u + level + 2u * grad)
        return lower_unknown(l, "offsets and depth comparisons are not");
    const struct ptx_operand *from = &in->operands[1];
    if (from->kind != PTX_OPERAND_ADDRESS || !from->reg || from->offset || from->item_count != 1 ||
        slots_class(from->reg->type) != SIM_64)
        return lower_unknown(l, "only through texture objects");
    struct sim_fetch *f = lower_alloc(l, sizeof *f);
    if (!f)
        return false;
    f->op = (struct sim_memop){.access = SIM_ACCESS_LOAD,
                               .space = SIM_SPACE_GLOBAL,
                               .type = PTX_TYPE_B32,
                               .width = 4,
                               .count = 4,
                               .slot = SIM_32,
                               .uncounted = true,
                               .texture = true};
    f->dimensions = shape->dimensions;
    f->layered = shape->layered;
    f->whole = coordinates == PTX_TYPE_S32;
    f->gather = gather;
    f->component = (uint8_t)(!gather                 ? 0
                             : ptx_has_word(in, "g") ? 1
                             : ptx_has_word(in, "b") ? 2
                             : ptx_has_word(in, "a") ? 3
                                                     : 0);
    if (!lower_site(l, &f->op) || !lower_register(l, from->reg, &f->handle) ||
        !lower_coordinates(l, &from->items[0], shape, coordinates, f) ||
        !lower_results(l, &in->operands[0], f))
        return false;
    struct sim_insn *out = lower_emit(l, sim_run_texture);
    if (!out)
        return false;
    out->extra = f;
    return true;
}

bool lower_fetch(struct lower *l) {
    return lower_texels(l, false);
}

bool lower_gather(struct lower *l) {
    return lower_texels(l, true);
}
